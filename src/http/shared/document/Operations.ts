/** One operation of the document. */
import { Context } from "effect"
import type { HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { OperationTraits } from "../Operation.ts"
import { failuresOf } from "./Failures.ts"
import { isObject, type JsonObject, listAt, mapValues, objectAt, sorted, without } from "./Json.ts"
import { parametersOf } from "./Parameters.ts"
import { failures, type Sources, success, withExamples } from "./Responses.ts"
import { referred } from "./Schemas.ts"

export interface Declared {
  readonly endpoint: HttpApiEndpoint.Top
  readonly middleware: ReadonlySet<HttpApiMiddleware.AnyService>
}

/** Whether some field of a body has to be there; without one, no body at all is as good as an empty one. */
const hasRequiredFields = (content: JsonObject, { schemas }: Sources): boolean =>
  Object.values(content).some((media) => {
    const schema = objectAt(media, "schema")
    const name = referred(schema)
    return name === undefined || listAt(schemas[name], "required").length > 0
  })

const bodyOf = (operation: JsonObject, sources: Sources): JsonObject => {
  const content = objectAt(operation.requestBody, "content")
  if (Object.keys(content).length === 0) return {}
  return {
    requestBody: { content: withExamples(content, sources), required: hasRequiredFields(content, sources) }
  }
}

/** What is made anew of an operation; all else that its endpoint says goes out as it is. */
const rewritten = [
  "operationId",
  "tags",
  "summary",
  "description",
  "security",
  "parameters",
  "requestBody",
  "responses"
]

export const operationOf = (
  operation: JsonObject,
  { endpoint, middleware }: Declared,
  sources: Sources
): JsonObject => {
  const { setsSession } = Context.get(endpoint.annotations, OperationTraits)
  const parameters = parametersOf(operation, endpoint)
  const successes = Object.entries(objectAt(operation, "responses")).filter(([status]) => status < "400")
  return {
    operationId: operation.operationId ?? "",
    tags: listAt(operation, "tags"),
    summary: operation.summary ?? "",
    description: operation.description ?? "",
    security: listAt(operation, "security"),
    ...without(operation, ...rewritten),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(operation, sources),
    responses: sorted({
      ...mapValues(Object.fromEntries(successes), (response, status) =>
        isObject(response) ? success(status, response, setsSession && status !== "304", sources) : response
      ),
      ...failures(failuresOf(endpoint, middleware), sources)
    })
  }
}
