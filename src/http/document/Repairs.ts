/**
 * Corrections of the document that Effect derives. Each has a test that shows
 * what is wrong with it, and fails once Effect has repaired it.
 */
import { flow, Predicate, Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  mapObjects,
  mapOperations,
  objectAt,
  rewrite,
  textAt,
  without
} from "./Json.ts"

/** The endpoints by the ids of their operations. */
type Endpoints = ReadonlyMap<string, Pick<HttpApiEndpoint.Top, "query">>

const plainTypes = new Set(["boolean", "integer", "number"])

const isPlain = (schema: Json | undefined): boolean =>
  plainTypes.has(textAt(schema, "type") ?? "") || (isObject(schema) && isPlain(schema.items))

/** The schemas of query parameters as declared, before they were turned into text. */
const declaredQuery = (endpoint: Pick<HttpApiEndpoint.Top, "query"> | undefined): JsonObject => {
  const declared = Predicate.hasProperty(endpoint?.query, "schema") ? endpoint.query.schema : undefined
  if (!Schema.isSchema(declared)) return {}
  // Effect types the document by its parts; here it is JSON like any other.
  return objectAt(Schema.toJsonSchemaDocument(declared).schema as Json, "properties")
}

/** Numbers and booleans in a query are described as the text that they travel as, without their bounds. */
export const withTypedParameters = (endpoints: Endpoints) => (document: JsonObject) =>
  mapOperations(document, (operation) => {
    const declared = declaredQuery(endpoints.get(textAt(operation, "operationId") ?? ""))
    const parameters = listAt(operation, "parameters").map((parameter) => {
      const schema = declared[textAt(parameter, "name") ?? ""]
      return isObject(parameter) && schema !== undefined && isPlain(schema)
        ? { ...parameter, schema }
        : parameter
    })
    return { ...operation, parameters }
  })

const annotations = new Set(["title", "description", "default", "examples", "readOnly", "writeOnly"])

/** Whether rules can be written into a schema: no key but annotations is in both, of which the later one counts. */
const canMerge = (schema: JsonObject, rules: JsonObject) =>
  Object.keys(rules).every((key) => annotations.has(key) || !(key in schema))

/** Repairs rules and descriptions that are listed under `allOf`, although they belong beside those of their schema. */
export const withMergedRules = (document: JsonObject) =>
  rewrite(document, (schema) => {
    let merged = without(schema, "allOf")
    const rest = listAt(schema, "allOf").filter((rules) => {
      if (!isObject(rules) || !canMerge(merged, rules)) return true
      merged = { ...merged, ...rules }
      return false
    })
    return rest.length === 0 ? merged : { ...merged, allOf: rest }
  })

/** Removes the bounds of integers to what a number can hold exactly, which are no rules of the API. */
export const withoutSafeIntegerBounds = (document: JsonObject) =>
  rewrite(document, (schema) =>
    without(
      schema,
      ...(schema.minimum === Number.MIN_SAFE_INTEGER ? ["minimum"] : []),
      ...(schema.maximum === Number.MAX_SAFE_INTEGER ? ["maximum"] : [])
    )
  )

/**
 * Opens objects, which are described as closed although decoders ignore unknown fields. Objects with any fields are
 * described as such, as generators would read them as objects without fields.
 */
export const withOpenObjects = (document: JsonObject) =>
  rewrite(document, (schema) => {
    if (schema.additionalProperties === false) return without(schema, "additionalProperties")
    const isAny = schema.type === "object" && !("properties" in schema) && !("additionalProperties" in schema)
    return isAny ? { ...schema, additionalProperties: true } : schema
  })

/** The name of a header as people write it, which the title of its schema is. */
const nameOf = (part: Json, name: string): string => textAt(objectAt(part, "schema"), "title") ?? name

const described = (part: JsonObject): JsonObject => {
  const schema = objectAt(part, "schema")
  const { description } = schema
  return {
    ...part,
    ...(description === undefined ? {} : { description }),
    schema: without(schema, "title", "description")
  }
}

const withDescribedHeaders = (response: JsonObject): JsonObject => {
  const headers = Object.entries(mapObjects(objectAt(response, "headers"), described))
  const named = headers.map(([name, header]) => [nameOf(objectAt(response.headers, name), name), header])
  return { ...response, ...(headers.length === 0 ? {} : { headers: Object.fromEntries(named) }) }
}

/**
 * Gives parameters and headers their descriptions, which are in their schemas, and headers their names as people write
 * them.
 */
export const withDescribedParts = (document: JsonObject) =>
  mapOperations(document, (operation) => ({
    ...operation,
    parameters: listAt(operation, "parameters").map((parameter) =>
      isObject(parameter)
        ? { ...described(parameter), name: nameOf(parameter, textAt(parameter, "name") ?? "") }
        : parameter
    ),
    responses: mapObjects(objectAt(operation, "responses"), withDescribedHeaders)
  }))

export const repaired = (endpoints: Endpoints) =>
  flow(
    withTypedParameters(endpoints),
    withMergedRules,
    withoutSafeIntegerBounds,
    withOpenObjects,
    withDescribedParts
  )
