import { Schema } from "effect"

type Object = { readonly [key: string]: Schema.Json }

const isObject = (value: Schema.Json): value is Object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const description = "A JSON object with any fields, stored and returned unchanged"

/** A JSON object with any fields, which is returned as it was sent, at any depth. */
export const JsonObject = Schema.Json.pipe(
  Schema.refine(isObject, {
    identifier: "Metadata",
    description,
    expected: "an object",
    toJsonSchema: () => ({ type: "object", additionalProperties: true })
  })
)
export type JsonObject = typeof JsonObject.Type

const metaLength = 64 * 1024

/** Such an object as a caller sends it. Lists show fifty resources with theirs, so it may not be large. */
export const Meta = JsonObject.check(
  Schema.makeFilter((meta) => JSON.stringify(meta).length <= metaLength, {
    expected: `an object of at most ${metaLength} characters of JSON`,
    description: `${description}. It may have ${metaLength.toLocaleString("en")} characters as JSON.`,
    toJsonSchema: () => [{}, true]
  })
)

/** `misc` of every resource: reserved, and empty. */
export const misc: JsonObject = Object.freeze({})
