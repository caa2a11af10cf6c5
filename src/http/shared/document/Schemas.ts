/** Turns the schemas that Effect derives into those that readers of OpenAPI expect. */
import { isObject, isSame, type Json, type JsonObject, objectAt, rewrite, textAt, without } from "./Json.ts"

const prefix = "#/components/schemas/"

export const refTo = (name: string): JsonObject => ({ $ref: prefix + name })

/** The component that a schema refers to. */
export const referred = (schema: Json | undefined): string | undefined => {
  const ref = textAt(schema, "$ref")
  return ref?.startsWith(prefix) ? ref.slice(prefix.length) : undefined
}

// What a number can hold exactly is no rule of ours.
const isNoise = (key: string, value: Json) =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  // Unknown keys are ignored in requests, and answers may gain fields.
  (key === "additionalProperties" && value === false)

const annotations = new Set(["title", "description", "default", "examples", "readOnly", "writeOnly"])

/** Whether rules can move into a schema without replacing one of its own; the later of two annotations counts. */
const canMerge = (schema: JsonObject, rules: JsonObject) =>
  Object.keys(rules).every((key) => annotations.has(key) || !(key in schema))

/** Further rules of one schema, which Effect lists under `allOf`, beside its own. */
const withMergedRules = (schema: JsonObject): JsonObject => {
  const rules = schema.allOf
  if (!Array.isArray(rules)) return schema
  const rest: Array<Json> = []
  let merged = without(schema, "allOf")
  for (const rule of rules) {
    if (isObject(rule) && canMerge(merged, rule)) merged = { ...merged, ...rule }
    else rest.push(rule)
  }
  return rest.length === 0 ? merged : { ...merged, allOf: rest }
}

/** One schema and all within it, without what only Effect's own tools understand. */
export const tidy = (schema: Json): Json =>
  rewrite(schema, (object) =>
    withMergedRules(Object.fromEntries(Object.entries(object).filter(([key, value]) => !isNoise(key, value))))
  )

const bare = (schema: Json | undefined): Json => (isObject(schema) ? without(schema, ...annotations) : {})

const countUses = (document: Json): ReadonlyMap<string, number> => {
  const uses = new Map<string, number>()
  rewrite(document, (object) => {
    const name = referred(object)
    if (name !== undefined) uses.set(name, (uses.get(name) ?? 0) + 1)
    return object
  })
  return uses
}

/**
 * Makes one component of each named schema. Where a field describes a named
 * schema in words of its own, Effect makes another component (`Name_1`); here
 * the words move to the place where they are used.
 */
export const withoutVariants = (document: JsonObject): JsonObject => {
  const schemas = objectAt(document.components, "schemas")
  const uses = countUses(document)
  const groups = Map.groupBy(Object.keys(schemas), (name) => name.replace(/_\d+$/, ""))
  const moves = new Map<string, { readonly to: string; readonly says: JsonObject }>()
  const kept: Record<string, Json> = {}
  for (const [name, variants] of groups) {
    const [usual = name] = variants.toSorted((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0))
    kept[name] = schemas[usual] ?? {}
    for (const variant of variants) {
      if (!isSame(bare(schemas[variant]), bare(schemas[usual]))) {
        throw new Error(`Two different schemas are called ${name}`)
      }
      const description = textAt(schemas[variant], "description")
      const differs = description !== undefined && description !== textAt(schemas[usual], "description")
      moves.set(variant, { to: name, says: differs ? { description } : {} })
    }
  }
  const moved = rewrite(
    { ...document, components: { ...objectAt(document, "components"), schemas: kept } },
    (object) => {
      const move = moves.get(referred(object) ?? "")
      return move === undefined ? object : { ...move.says, ...object, ...refTo(move.to) }
    }
  )
  return isObject(moved) ? moved : document
}
