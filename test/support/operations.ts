/** Every operation of the API, so that what holds for all of them is tested on all of them. */
import { Context, Option } from "effect"
import type { HttpMethod } from "effect/http"
import { HttpApi, OpenApi } from "effect/http-api"
import type { Access } from "../../src/domain/shared/Access.ts"
import { ForumApi } from "../../src/http/Api.ts"
import { declaredAccess, OpenOperation } from "../../src/http/contract/AccessPolicies.ts"
import { OperationTraits } from "../../src/http/contract/Operation.ts"
import { isObject, listAt, textAt } from "../../src/http/document/Json.ts"
import { descriptionOf } from "./conformance.ts"
import { nobody } from "./people.ts"

export interface Operation {
  readonly id: string
  readonly method: HttpMethod.HttpMethod
  /** Its path with `value` for every parameter in it, or with what is known of each. */
  readonly pathWith: (value: string | ((name: string) => string)) => string
  /** Its path with parameters that name nothing. */
  readonly path: string
  readonly access: Access
  /** Whether it reads a JSON body, and refuses others. */
  readonly hasBody: boolean
  /** Whether it reads a form, and refuses others. */
  readonly takesForm: boolean
  /** The largest body, in bytes. */
  readonly maxBody: number
  /** Whether it starts or ends a session. */
  readonly setsSession: boolean
  readonly pathParameters: ReadonlyArray<string>
  readonly queryParameters: ReadonlyArray<string>
  /** Those that have to be given. */
  readonly requiredQuery: ReadonlyArray<string>
  /** Whether it answers all callers alike and does not identify them, so that it may need no storage. */
  readonly isOpen: boolean
  /** Whether it refuses invalid requests in the form of OAuth. */
  readonly refusesAsOAuth: boolean
}

const parametersOf = (id: string, place: "path" | "query"): ReadonlyArray<string> =>
  listAt(descriptionOf(id), "parameters").flatMap((parameter) =>
    textAt(parameter, "in") === place ? (textAt(parameter, "name") ?? []) : []
  )

const requiredQueryOf = (id: string): ReadonlyArray<string> =>
  listAt(descriptionOf(id), "parameters").flatMap((parameter) =>
    isObject(parameter) && parameter.in === "query" && parameter.required === true
      ? (textAt(parameter, "name") ?? [])
      : []
  )

const list = () => {
  const found: Array<Operation> = []
  HttpApi.reflect(ForumApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { annotations, identifier, method, path, payload }, middleware }) => {
      const id = Context.getOrElse(annotations, OpenApi.Identifier, () => identifier)
      const traits = Context.get(annotations, OperationTraits)
      const { maxBody, refusesAs, setsSession, takesAnything, takesAnyType } = traits
      const takesForm = [...payload.values()].some(({ encoding }) => encoding._tag === "FormUrlEncoded")
      const pathWith: Operation["pathWith"] = (value) =>
        path.replace(/:(\w+)/g, (_, name: string) => (typeof value === "string" ? value : value(name)))
      found.push({
        id,
        method,
        pathWith,
        path: pathWith(nobody),
        access: Option.getOrThrowWith(
          declaredAccess(annotations),
          () => new Error(`${id} declares no access`)
        ),
        hasBody: payload.has("application/json") && !takesAnything && !takesAnyType && !takesForm,
        takesForm,
        maxBody,
        setsSession,
        pathParameters: parametersOf(id, "path"),
        queryParameters: parametersOf(id, "query"),
        requiredQuery: requiredQueryOf(id),
        isOpen: [...middleware].some(({ key }) => key === OpenOperation.key),
        refusesAsOAuth: refusesAs !== undefined
      })
    }
  })
  // Its caller has no session afterwards.
  return found.sort((a, b) => Number(a.id === "AuthProviderLogout") - Number(b.id === "AuthProviderLogout"))
}

export const operations: ReadonlyArray<Operation> = list()

/** The operations that may change something. */
export const unsafeOperations = operations.filter(({ method }) => method !== "GET")

/** Whether only accounts may call an operation of this access. */
export const isForAccounts = ({ _tag }: Access): boolean => _tag === "SignedIn" || _tag === "Member"
