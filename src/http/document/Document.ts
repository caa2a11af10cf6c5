/** The description of the API (OpenAPI 3.1), derived from its definition. */
import { Context, type Schema } from "effect"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { keyMax } from "../../domain/idempotency/IdempotencyKey.ts"
import { sessionDays, sessionsMax } from "../../domain/session/Session.ts"
import { addressOf, type Deployment } from "../../domain/settings/Deployment.ts"
import { securitySchemes } from "../contract/AccessPolicies.ts"
import { type DeclaredEndpoint, endpointsOf } from "../contract/Endpoints.ts"
import { IdempotencyKey, IdempotencyReplayed, takesKeys } from "../contract/IdempotentOperation.ts"
import { OperationTraits } from "../contract/Operation.ts"
import { oauthStatusesOf, problemsOf } from "./Failures.ts"
import {
  isObject,
  type JsonObject,
  listAt,
  mapObjects,
  mapOperations,
  objectAt,
  sorted,
  textAt,
  without
} from "./Json.ts"
import { catalogueOf } from "./ProblemCatalogue.ts"
import { type Components, failures, withOAuthErrors, withProblems } from "./Problems.ts"
import { repaired } from "./Repairs.ts"

const root = "/api"

/** What of a deployment its description depends on. */
export type Described = Pick<Deployment["Service"], "publicUrl" | "version">

/** Whether a body is required. One without required fields may be left out, and so may one that is never refused. */
const isBodyRequired = (body: JsonObject, { schemas }: Components, { endpoint }: DeclaredEndpoint): boolean =>
  !Context.get(endpoint.annotations, OperationTraits).takesAnything &&
  Object.values(objectAt(body, "content")).some((media) => {
    const component = textAt(objectAt(media, "schema"), "$ref")?.split("/").at(-1)
    return component === undefined || listAt(schemas[component], "required").length > 0
  })

/** Text that is written as bytes is text all the same: generators decode it as its content type says. */
const asText = (media: JsonObject): JsonObject => ({
  ...media,
  schema: without(objectAt(media, "schema"), "format")
})

/**
 * Describes bytes of any type as `application/octet-stream`: generators leave out content whose type they do not know.
 */
const withTypes = (response: JsonObject, known: ReadonlyArray<string>): JsonObject => {
  const { "*/*": bytes, ...others } = objectAt(response, "content")
  const types = bytes === undefined ? [] : ["application/octet-stream", ...known].map((type) => [type, bytes])
  const content = mapObjects({ ...Object.fromEntries(types), ...others }, (media, type) =>
    type.startsWith("text/") ? asText(media) : media
  )
  return Object.keys(content).length === 0 ? response : { ...response, content }
}

const withCookie = (response: JsonObject, description: string): JsonObject => ({
  ...response,
  headers: {
    ...objectAt(response, "headers"),
    "Set-Cookie": { description, required: true, schema: { type: "string" } }
  }
})

const headerOf = ({ ast }: Schema.Top, schema: JsonObject): JsonObject => ({
  description: String(ast.annotations?.description),
  schema
})

const titleOf = ({ ast }: Schema.Top) => String(ast.annotations?.title)

const keyParameter: JsonObject = {
  name: titleOf(IdempotencyKey),
  in: "header",
  required: false,
  ...headerOf(IdempotencyKey, { type: "string", minLength: 1, maxLength: keyMax, pattern: "^[!-~]+$" })
}

/** The answers of an operation that takes keys, with the header of those that are told again. */
const withReplays = (response: JsonObject): JsonObject => ({
  ...response,
  headers: {
    ...objectAt(response, "headers"),
    [titleOf(IdempotencyReplayed)]: headerOf(IdempotencyReplayed, { type: "string", enum: ["true"] })
  }
})

const sessionCookie = `The cookie of the new session, which lasts ${sessionDays} days. Of more than ${sessionsMax} sessions of an account, those end that began longest ago.`

/** What the definition of an endpoint says beyond its schemas. */
const completed = (operation: JsonObject, declared: DeclaredEndpoint, components: Components): JsonObject => {
  const { endpoint, middleware } = declared
  const { answersTypes, setsCookie, setsSession } = Context.get(endpoint.annotations, OperationTraits)
  const cookie = setsSession ? sessionCookie : setsCookie
  // A response that is no problem is the endpoint's own, whatever its status.
  const own = Object.entries(objectAt(operation, "responses")).filter(
    ([status, response]) => status < "400" || Object.keys(objectAt(response, "content")).length === 0
  )
  const problems = problemsOf(endpoint, middleware).flatMap(({ name }) => components.problems.get(name) ?? [])
  const body = operation.requestBody
  const failing = failures(problems)
  const isRepeatable = takesKeys(endpoint)
  return {
    ...operation,
    ...(isRepeatable ? { parameters: [...listAt(operation, "parameters"), keyParameter] } : {}),
    ...(isObject(body)
      ? {
          requestBody: { ...body, required: isBodyRequired(body, components, declared) }
        }
      : {}),
    responses: {
      ...mapObjects(Object.fromEntries(own), (response, status) => {
        if (isRepeatable) return withReplays(withTypes(response, answersTypes))
        return cookie === undefined || status >= "400"
          ? withTypes(response, answersTypes)
          : withCookie(response, cookie)
      }),
      ...withOAuthErrors(failing, oauthStatusesOf(endpoint))
    }
  }
}

/**
 * The servers of the API, a relative one first: who reads the document at some host reaches the API there, with the
 * cookie of that host.
 */
const serversOf = ({ publicUrl }: Described): ReadonlyArray<JsonObject> => [
  { url: publicUrl.pathname.replace(/\/+$/, "") + root, description: "Where this document was found" },
  { url: addressOf(publicUrl) + root, description: "The public address" }
]

/** The paths below the root of the API, which the servers name. */
const pathsOf = (document: JsonObject): JsonObject =>
  sorted(
    Object.fromEntries(
      Object.entries(objectAt(document, "paths")).map(([path, item]) => [path.replace(root, ""), item])
    )
  )

/** The description of an API as one deployment serves it. */
export const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  deployment: Described
): JsonObject => {
  const declared = new Map(endpointsOf(api).map((declared) => [declared.id, declared]))
  const endpoints = new Map([...declared].map(([id, { endpoint }]) => [id, endpoint]))
  // Effect types the document by its parts; here it is JSON like any other.
  const derived = repaired(endpoints)(OpenApi.fromApi(api) as unknown as JsonObject)
  const possible = [...declared.values()].flatMap(({ endpoint, middleware }) =>
    problemsOf(endpoint, middleware)
  )
  const components = withProblems(objectAt(derived.components, "schemas"), catalogueOf(api), possible)
  const document = mapOperations(derived, (operation) => {
    const declaration = declared.get(textAt(operation, "operationId") ?? "")
    return declaration === undefined ? operation : completed(operation, declaration, components)
  })
  return {
    openapi: "3.1.0",
    info: { ...objectAt(document, "info"), version: deployment.version },
    servers: serversOf(deployment),
    tags: listAt(document, "tags"),
    paths: pathsOf(document),
    components: { schemas: sorted(components.schemas), securitySchemes }
  }
}
