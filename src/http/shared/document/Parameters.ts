/** Parameters as readers of OpenAPI expect them: typed as what they mean, described where they stand. */
import { Predicate, Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { isObject, type Json, type JsonObject, listAt, objectAt, textAt, without } from "./Json.ts"
import { tidy } from "./Schemas.ts"

const plainTypes = new Set(["boolean", "integer", "number"])

const isPlain = (schema: Json | undefined): boolean =>
  isObject(schema) &&
  (plainTypes.has(textAt(schema, "type") ?? "") || (schema.type === "array" && isPlain(schema.items)))

/**
 * Numbers and booleans travel in addresses as text, and are derived as text
 * with a pattern; this is what the text stands for.
 */
const plainSchemas = (slot: Schema.Top | undefined): JsonObject => {
  const declared = Predicate.hasProperty(slot, "schema") ? slot.schema : undefined
  if (!Schema.isSchema(declared)) return {}
  const { schema } = Schema.toJsonSchemaDocument(Schema.toCodecJson(declared))
  const properties = objectAt(tidy(schema as Json), "properties")
  return Object.fromEntries(Object.entries(properties).filter(([, property]) => isPlain(property)))
}

const headerNames: Readonly<Record<string, string>> = {
  "cache-control": "Cache-Control",
  "clear-site-data": "Clear-Site-Data",
  etag: "ETag",
  "if-none-match": "If-None-Match",
  location: "Location",
  vary: "Vary"
}

/** Headers as people write them; names are the same whatever the case. */
export const headerName = (name: string) => headerNames[name] ?? name

const places = ["path", "query", "header"]

const rank = (parameter: JsonObject) =>
  places.indexOf(textAt(parameter, "in") ?? "") + (parameter.required === true ? 0 : 0.5)

/** One parameter; what Effect says of it in its schema, OpenAPI has beside the schema. */
const parameterOf = (parameter: JsonObject, plain: JsonObject): JsonObject => {
  const name = textAt(parameter, "name") ?? ""
  const isHeader = parameter.in === "header"
  const derived = objectAt(parameter, "schema")
  const schema = isHeader || !(name in plain) ? derived : objectAt(plain, name)
  const description = textAt(schema, "description") ?? textAt(derived, "description")
  const [example] = listAt(schema, "examples")
  return {
    name: isHeader ? headerName(name) : name,
    in: parameter.in ?? "query",
    required: parameter.required === true,
    ...(description === undefined ? {} : { description }),
    schema: without(schema, "description", "examples"),
    ...(example === undefined ? {} : { example })
  }
}

/** In the order of their places, those that have to be there before those that may be left out. */
export const parametersOf = (operation: JsonObject, endpoint: HttpApiEndpoint.Top): ReadonlyArray<Json> => {
  const plain = { ...plainSchemas(endpoint.query), ...plainSchemas(endpoint.params) }
  return listAt(operation, "parameters")
    .filter(isObject)
    .map((parameter) => parameterOf(parameter, plain))
    .toSorted((a, b) => rank(a) - rank(b))
}
