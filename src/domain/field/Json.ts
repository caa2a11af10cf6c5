import { Schema } from "effect"
import { hasAtMost, isStorable } from "./Text.ts"

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

type Path = ReadonlyArray<PropertyKey>

/** Where in the value is text that cannot be stored; a key stands for its object. */
const findUnstorable = (value: Schema.Json, path: Path): Path | undefined => {
  if (typeof value === "string") return isStorable(value) ? undefined : path
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const found = isStorable(key) ? findUnstorable(inner, [...path, key]) : path
    if (found !== undefined) return found
  }
  return undefined
}

const storable = Schema.makeFilter<JsonObject>(
  (meta) => {
    const path = findUnstorable(meta, [])
    return path && { path, issue: "Expected text without NUL characters and unpaired surrogates" }
  },
  { toJsonSchema: () => [{}, true] }
)

/** A JSON object as a caller sends it, with this many characters of JSON at most. */
export const metaWithin = (characters: number) =>
  JsonObject.check(
    storable,
    Schema.makeFilter((meta) => hasAtMost(JSON.stringify(meta), characters), {
      expected: `an object of at most ${characters} characters of JSON`,
      description: `${description}. It may have ${characters.toLocaleString("en")} characters as JSON.`,
      toJsonSchema: () => [{}, true]
    })
  )

/** The usual one. Lists show fifty resources with theirs, so it may not be large. */
export const Meta = metaWithin(64 * 1024)

/** `misc` of every resource: reserved, and empty. */
export const misc: JsonObject = Object.freeze({})
