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

const metaLength = 64 * 1024

/** Such an object as a caller sends it. What it hangs on shows up by fifties, so it may not be large. */
export const Meta = JsonObject.check(
  Schema.makeFilter((meta) => JSON.stringify(meta).length <= metaLength, {
    expected: `an object of at most ${metaLength} characters of JSON`
  })
)

/** `misc` of every resource: reserved by the specification, and empty. */
export const misc: JsonObject = Object.freeze({})
