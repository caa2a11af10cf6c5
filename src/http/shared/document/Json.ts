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

export const without = (object: JsonObject, ...keys: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))

/** The object with its keys in alphabetical order; what they hold stays as it is. */
export const sorted = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Rewrites every object in a document, innermost first. */
export const rewrite = (value: Json, f: (object: JsonObject) => Json): Json => {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, f))
  return isObject(value) ? f(mapValues(value, (item) => rewrite(item, f))) : value
}

/** Whether two documents say the same, in whatever order. */
export const isSame = (a: Json | undefined, b: Json | undefined): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  }
  if (isObject(a) && isObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...keys].every((key) => isSame(a[key], b[key]))
  }
  return a === b
}
