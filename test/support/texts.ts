/** Every string that a client can send, as the description of the API lists them. */
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt
} from "../../src/http/document/Json.ts"
import { descriptionOf, document } from "./conformance.ts"
import { type Operation, operations } from "./operations.ts"

export interface TextField {
  readonly operation: Operation
  readonly in: "path" | "query" | "body"
  /** Where in that part of the request; `0` is the first item of a list. */
  readonly path: readonly [string, ...ReadonlyArray<string>]
  /** What the description says of it. */
  readonly schema: JsonObject
}

const schemas = objectAt(objectAt(document, "components"), "schemas")

const resolved = (schema: Json | undefined): JsonObject => {
  if (!isObject(schema)) throw new Error("A part of a request has no schema")
  const component = textAt(schema, "$ref")?.split("/").at(-1)
  return component === undefined ? schema : resolved(schemas[component])
}

type Found = readonly [path: ReadonlyArray<string>, schema: JsonObject]

/** Of a field that several forms of an object have, the first. What tells the forms apart is refused with the whole. */
const onceEach = (found: ReadonlyArray<Found>): ReadonlyArray<Found> => [
  ...new Map(found.toReversed().map((one) => [one[0].join("."), one])).values()
]

const plain = new Set(["boolean", "integer", "null", "number"])

/** The strings in a schema. A schema of a kind that is not known here is an error, so that none is left out. */
const stringsIn = (schema: JsonObject, path: ReadonlyArray<string>): ReadonlyArray<Found> => {
  const { additionalProperties, type } = schema
  if (type === "string" || Array.isArray(schema.enum)) return [[path, schema]]
  if (type === "array") return stringsIn(resolved(schema.items), [...path, "0"])
  if (isObject(schema.properties)) {
    return Object.entries(schema.properties).flatMap(([key, inner]) =>
      stringsIn(resolved(inner), [...path, key])
    )
  }
  const forms = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")]
  if (forms.length > 0) {
    const found = forms.flatMap((form) => stringsIn(resolved(form), path))
    return onceEach(found.filter(([, { enum: options }]) => !Array.isArray(options) || options.length > 1))
  }
  // Metadata may have any fields; what its strings may be has tests of its own.
  if (type === "object" && additionalProperties === true) return []
  // Neither are there strings in a map of numbers but its keys, which have tests of their own.
  if (type === "object" && plain.has(textAt(additionalProperties, "type") ?? "")) return []
  if (typeof type === "string" && plain.has(type)) return []
  throw new Error(`There may be strings in ${JSON.stringify(schema)}`)
}

const partsOf = (
  id: string
): ReadonlyArray<readonly [TextField["in"], JsonObject, ReadonlyArray<string>]> => {
  const description = descriptionOf(id)
  const parameters = listAt(description, "parameters").flatMap((parameter) => {
    const place = textAt(parameter, "in")
    const schema = resolved(isObject(parameter) ? parameter.schema : undefined)
    return place === "path" || place === "query"
      ? [[place, schema, [textAt(parameter, "name") ?? ""]] as const]
      : []
  })
  const content = objectAt(objectAt(description, "requestBody"), "content")
  const media = objectAt(content, "application/json")
  return isObject(media.schema) ? [...parameters, ["body", resolved(media.schema), []] as const] : parameters
}

/** Every string of every request, parameters first. */
export const textFields: ReadonlyArray<TextField> = operations.flatMap((operation) =>
  partsOf(operation.id).flatMap(([place, schema, at]) =>
    stringsIn(schema, at).flatMap(([[first, ...rest], found]) =>
      first === undefined ? [] : [{ operation, in: place, path: [first, ...rest] as const, schema: found }]
    )
  )
)

/** How a problem names the field. */
export const placeOf = ({ in: place, path }: TextField) => `${place} ${path.join(".")}`

/** Puts a text into an example of a schema, or into one of the schema of a list's items if there is none with it. */
const placed = (
  schema: JsonObject,
  target: Json | undefined,
  [key, ...rest]: ReadonlyArray<string>,
  value: string
): Json => {
  if (key === undefined) return value
  if (key === "0") {
    const items = isObject(schema.items) ? resolved(schema.items) : {}
    const item = Array.isArray(target) ? target[0] : listAt(items, "examples")[0]
    return [placed(items, item, rest, value)]
  }
  const fields = isObject(target) ? target : {}
  const inner = objectAt(schema, "properties")[key]
  return { ...fields, [key]: placed(isObject(inner) ? resolved(inner) : {}, fields[key], rest, value) }
}

/** A body as in the example of the description, with this text in the field. */
export const bodyWith = ({ operation, path }: TextField, value: string): Json => {
  const content = objectAt(objectAt(descriptionOf(operation.id), "requestBody"), "content")
  const schema = resolved(objectAt(content, "application/json").schema)
  return placed(schema, listAt(schema, "examples")[0], path, value)
}
