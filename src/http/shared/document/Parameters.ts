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

export const parametersOf = (operation: JsonObject, endpoint: HttpApiEndpoint.Top): ReadonlyArray<Json> => {
  const plain = { ...plainSchemas(endpoint.query), ...plainSchemas(endpoint.params) }
  const parameters = listAt(operation, "parameters").filter(isObject)
  return parameters
    .map((parameter) => {
      const name = textAt(parameter, "name") ?? ""
      const place = textAt(parameter, "in")
      const schema = objectAt(
        { schema: (place === "header" ? undefined : plain[name]) ?? parameter.schema ?? {} },
        "schema"
      )
      const described = { ...objectAt(parameter, "schema"), ...schema }
      const description = textAt(described, "description")
      const [example] = listAt(described, "examples")
      return {
        name: place === "header" ? headerName(name) : name,
        in: place ?? "query",
        required: parameter.required === true,
        ...(description === undefined ? {} : { description }),
        schema: without(schema, "description", "examples"),
        ...(example === undefined ? {} : { example })
      } satisfies JsonObject
    })
    .toSorted((a, b) => rank(a) - rank(b))
}
