/** Just enough to rewrite JSON documents without leaving their types. */
import type { Schema } from "effect"

export type Json = Schema.Json
export type JsonObject = { readonly [key: string]: Json }

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object under a key, or an empty one. */
export const objectAt = (value: Json | undefined, key: string): JsonObject => {
  const found = isObject(value) ? value[key] : undefined
  return isObject(found) ? found : {}
}

/** The list under a key, or an empty one. */
export const listAt = (value: Json | undefined, key: string): ReadonlyArray<Json> => {
  const found = isObject(value) ? value[key] : undefined
  return Array.isArray(found) ? found : []
}

export const textAt = (value: Json | undefined, key: string): string | undefined => {
  const found = isObject(value) ? value[key] : undefined
  return typeof found === "string" ? found : undefined
}

export const mapValues = (object: JsonObject, f: (value: Json, key: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value, key)]))

export const mapObjects = (object: JsonObject, f: (value: JsonObject, key: string) => Json): JsonObject =>
  mapValues(object, (value, key) => (isObject(value) ? f(value, key) : value))

export const without = (object: JsonObject, ...keys: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))

/** The object with its keys in alphabetical order; what they hold stays as it is. */
export const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

const rewriteValue = (value: Json, f: (object: JsonObject) => JsonObject): Json => {
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, f))
  return isObject(value) ? rewrite(value, f) : value
}

/** Rewrites every object in a document, innermost first; examples are data and stay as they are. */
export const rewrite = (object: JsonObject, f: (object: JsonObject) => JsonObject): JsonObject =>
  f(mapValues(object, (value, key) => (key === "examples" ? value : rewriteValue(value, f))))

/** Rewrites every operation of an OpenAPI document. */
export const mapOperations = (
  document: JsonObject,
  f: (operation: JsonObject) => JsonObject
): JsonObject => ({
  ...document,
  paths: mapObjects(objectAt(document, "paths"), (item) => mapObjects(item, f))
})
