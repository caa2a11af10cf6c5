/** Every operation of the API, so that what holds for all of them is tested on all of them. */
import { Option } from "effect"
import type { HttpMethod } from "effect/http"
import { HttpApi } from "effect/http-api"
import type { Access } from "../../src/domain/shared/Access.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { declaredAccess } from "../../src/http/shared/Access.ts"

export interface Operation {
  readonly method: HttpMethod.HttpMethod
  /** With parameters that name nothing. */
  readonly path: string
  readonly access: Access
}

const list = () => {
  const found: Array<Operation> = []
  HttpApi.reflect(ForumApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, method, path } }) =>
      found.push({
        method,
        path: path.replace(/:\w+/g, "-"),
        access: Option.getOrThrow(declaredAccess(annotations))
      })
  })
  return found
}

export const operations: ReadonlyArray<Operation> = list()
