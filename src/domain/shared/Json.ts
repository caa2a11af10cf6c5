import { Schema } from "effect"

type Object = { readonly [key: string]: Schema.Json }

const isObject = (value: Schema.Json): value is Object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A free-form JSON object that comes back as it went in, at any depth. */
export const JsonObject = Schema.Json.pipe(
  Schema.refine(isObject, {
    identifier: "Metadata",
    description: "A free-form JSON object, kept untouched",
    expected: "an object",
    toJsonSchema: () => ({ type: "object" })
  })
)
export type JsonObject = typeof JsonObject.Type

/** `misc` of every resource: reserved by the specification, and empty. */
export const misc: JsonObject = Object.freeze({})
