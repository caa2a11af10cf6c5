/** Every operation of the API, so that what holds for all of them is tested on all of them. */
import { Context } from "effect"
import type { HttpMethod } from "effect/http"
import { HttpApi } from "effect/http-api"
import type { Access } from "../../src/domain/shared/Actor.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { DeclaredAccess } from "../../src/http/shared/Authentication.ts"

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
        access: Context.get(annotations, DeclaredAccess)
      })
  })
  return found
}

export const operations: ReadonlyArray<Operation> = list()
