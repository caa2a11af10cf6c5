/** What a change of a schema breaks: for who sends what it describes, and for who reads it. Pure. */
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
  without
} from "../../src/http/document/Json.ts"
import { isOpen } from "./OpenEnums.ts"

/** Whether clients send what a schema describes, or read it. */
export type Direction = "request" | "answer"

/** Something that breaks clients: where it is, what it is, and whether the earlier description called it deprecated. */
export interface Break {
  readonly at: string
  readonly what: string
  readonly announced: boolean
}

/** The named schemas of the earlier description and of the one that is compared with it. */
export interface Components {
  readonly base: JsonObject
  readonly next: JsonObject
}

const prefix = "#/components/schemas/"

/** The keywords that say nothing of which values are valid. */
const annotations = [
  [
    "$comment",
    "$id",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "default",
    "deprecated",
    "description"
  ],
  ["discriminator", "example", "examples", "readOnly", "title", "writeOnly"]
].flat()

const upper = ["maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"] as const
const lower = ["minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"] as const
const forms = ["pattern", "format", "multipleOf", "uniqueItems"] as const
const unions = ["anyOf", "oneOf"] as const

const compared = new Set<string>([
  ...["type", "enum", "const", "allOf", "not", "items", "properties", "required"],
  ...["additionalProperties", "propertyNames", "$ref"],
  ...annotations,
  ...upper,
  ...lower,
  ...forms,
  ...unions
])

const refOf = (schema: Json | undefined): string | undefined => textAt(schema, "$ref")?.slice(prefix.length)

/** A schema as an object; a keyword that nothing here compares is no reason to find no difference. */
const objectOf = (schema: Json | undefined): JsonObject => {
  if (schema === undefined || schema === true) return {}
  if (!isObject(schema)) throw new Error(`No schema that can be compared: ${JSON.stringify(schema)}`)
  const unknown = Object.keys(schema).find((key) => !compared.has(key) && !key.startsWith("x-"))
  if (unknown !== undefined) throw new Error(`The keyword ${unknown} of a schema is not compared`)
  return schema
}

const resolved = (schema: Json | undefined, schemas: JsonObject): JsonObject => {
  const name = refOf(schema)
  if (name === undefined) return merged(objectOf(schema), schemas)
  if (!(name in schemas)) throw new Error(`There is no schema ${name}`)
  return resolved(schemas[name], schemas)
}

const stricter = (key: string, one: Json, other: Json): Json => {
  if (JSON.stringify(one) === JSON.stringify(other)) return one
  if (typeof one === "number" && typeof other === "number") {
    return key.startsWith("min") || key === "exclusiveMinimum" ? Math.max(one, other) : Math.min(one, other)
  }
  if (isObject(one) && isObject(other)) return { ...one, ...other }
  if (Array.isArray(one) && Array.isArray(other) && key === "required") {
    return [...new Set([...one, ...other])]
  }
  if (typeof one === "string" && typeof other === "string") return [one, other].sort().join(" and ")
  throw new Error(`Two rules of ${key} are not compared`)
}

/** A schema whose parts are one. */
const merged = (schema: JsonObject, schemas: JsonObject): JsonObject => {
  const parts = listAt(schema, "allOf").map((part) => resolved(part, schemas))
  let all = without(schema, "allOf")
  for (const part of parts) {
    for (const [key, value] of Object.entries(part)) {
      const known = all[key]
      const isRule = known !== undefined && !annotations.includes(key)
      all = { ...all, [key]: isRule ? stricter(key, known, value) : (known ?? value) }
    }
  }
  return all
}

const numberAt = (schema: JsonObject, key: string): number | undefined => {
  const found = schema[key]
  return typeof found === "number" ? found : undefined
}

/** The values that a schema lists. */
const valuesOf = (schema: JsonObject): ReadonlyArray<string> | undefined => {
  if ("const" in schema) return [JSON.stringify(schema.const)]
  return "enum" in schema ? listAt(schema, "enum").map((value) => JSON.stringify(value)) : undefined
}

const typeOf = (schema: JsonObject): string | undefined => {
  const type = textAt(schema, "type")
  if (type !== undefined) return type
  const kinds = new Set(valuesOf(schema)?.map((text) => typeof JSON.parse(text)))
  const [kind, ...others] = kinds
  return others.length > 0 || kind === "object" ? undefined : kind
}

/** A choice of a schema, as the description has it, perhaps by its name, and itself. */
interface Choice {
  readonly given: JsonObject
  readonly schema: JsonObject
}

/** The schemas any of which a value has to fit; none where no value fits. */
const choicesOf = (given: Json | undefined, schemas: JsonObject): ReadonlyArray<Choice> => {
  const schema = resolved(given, schemas)
  if ("not" in schema) {
    if (isObject(schema.not) && Object.keys(schema.not).length === 0) return []
    throw new Error("Values that a schema excludes are not compared")
  }
  const key = unions.find((union) => union in schema)
  if (key !== undefined) {
    const rest = without(schema, key, ...annotations)
    return listAt(schema, key).flatMap((choice) =>
      choicesOf(Object.keys(rest).length === 0 ? choice : { allOf: [rest, choice] }, schemas)
    )
  }
  const types = listAt(schema, "type")
  if (types.length === 0) return [{ given: isObject(given) ? given : {}, schema }]
  return types.map((type) => ({ given: { ...schema, type }, schema: { ...schema, type } }))
}

/** What tells a choice from the others: its name, or its type and the constants that it has. */
const markOf = ({ given, schema }: Choice): string => {
  const constants = Object.entries(objectAt(schema, "properties")).flatMap(([key, property]) =>
    isObject(property) && valuesOf(property)?.length === 1 ? `${key}=${valuesOf(property)}` : []
  )
  if (constants.length > 0) return constants.join()
  return refOf(given) ?? typeOf(schema) ?? "anything"
}

const isWithin = (type: string | undefined, types: string | undefined): boolean =>
  types === undefined || type === types || (type === "integer" && types === "number")

const listed = (values: ReadonlyArray<string>) => values.join(", ")

const found = (at: string, what: string, announced = false): Break => ({ at, what, announced })

/** What a narrower or wider set of listed values breaks. */
const valueBreaks = (base: JsonObject, next: JsonObject, direction: Direction, at: string, name?: string) => {
  const [before, after] = [valuesOf(base), valuesOf(next)]
  if (direction === "request") {
    if (after === undefined) return []
    if (before === undefined) return [found(at, `takes ${listed(after)} only`)]
    const gone = before.filter((value) => !after.includes(value))
    return gone.length === 0 ? [] : [found(at, `takes ${listed(gone)} no more`)]
  }
  if (before === undefined || isOpen(name)) return []
  if (after === undefined) return [found(at, `may be other than ${listed(before)}`)]
  const added = after.filter((value) => !before.includes(value))
  return added.length === 0 ? [] : [found(at, `may be ${listed(added)}`)]
}

/** What a stricter bound of what clients send breaks. Bounds of answers are no promise. */
const boundBreaks = (base: JsonObject, next: JsonObject, at: string): ReadonlyArray<Break> =>
  [...upper, ...lower].flatMap((key) => {
    const [before, after] = [numberAt(base, key), numberAt(next, key)]
    const isLower = lower.some((one) => one === key)
    if (after === undefined || (isLower && after === 0 && key !== "minimum")) return []
    const isLooser = before !== undefined && (isLower ? after <= before : after >= before)
    return isLooser ? [] : [found(at, `has ${key} ${after} instead of ${before ?? "none"}`)]
  })

/** What another form breaks: two patterns cannot be compared but for being the same. */
const formBreaks = (base: JsonObject, next: JsonObject, direction: Direction, at: string) =>
  forms.flatMap((key) => {
    const [before, after] = [base[key], next[key]].map((form) => JSON.stringify(form))
    const promised = direction === "request" ? after : before
    return promised === undefined || before === after
      ? []
      : [found(at, `has ${key} ${after ?? "none"} instead of ${before ?? "none"}`)]
  })

const requiredOf = (schema: JsonObject): ReadonlySet<Json> => new Set(listAt(schema, "required"))

const isDeprecated = (schema: Json | undefined, schemas: JsonObject): boolean =>
  isObject(schema) && (schema.deprecated === true || resolved(schema, schemas).deprecated === true)

/** What a schema that became another one breaks. */
export type SchemaBreaks = (
  base: Json | undefined,
  next: Json | undefined,
  direction: Direction,
  at: string
) => ReadonlyArray<Break>

/** Compares schemas. Named ones are compared once in each direction, wherever they are used. */
export const makeSchemaBreaks = (components: Components): SchemaBreaks => {
  /** A comparison that takes pairs of names that it has met before for compared. */
  const comparing = (met: Set<string> = new Set()): SchemaBreaks => {
    const propertyBreaks = (base: JsonObject, next: JsonObject, direction: Direction, at: string) => {
      const [before, after] = [objectAt(base, "properties"), objectAt(next, "properties")]
      const [needed, needs] = [requiredOf(base), requiredOf(next)]
      const isRequest = direction === "request"
      const demanded = isRequest ? [...needs].filter((name) => !needed.has(name)) : []
      return [
        ...demanded.map((name) => found(`${at}.${name}`, "has to be sent")),
        ...Object.entries(before).flatMap(([name, property]) => {
          const place = `${at}.${name}`
          if (!(name in after)) {
            const what = isRequest ? "is taken no more" : "is answered no more"
            return [found(place, what, isDeprecated(property, components.base))]
          }
          const maybe =
            !isRequest && needed.has(name) && !needs.has(name) ? [found(place, "may be absent")] : []
          return [...maybe, ...compare(property, after[name], direction, place)]
        })
      ]
    }

    const otherBreaks = (base: JsonObject, next: JsonObject, direction: Direction, at: string) => {
      const [before, after] = [base.additionalProperties ?? true, next.additionalProperties ?? true]
      const place = `${at}.*`
      const names = compare(base.propertyNames, next.propertyNames, direction, `${at} names`)
      if (isObject(before) && isObject(after)) return [...names, ...compare(before, after, direction, place)]
      if (before === after) return names
      if (direction === "request") return after === true ? names : [...names, found(place, "takes less")]
      return isObject(before) ? [...names, found(place, "may be anything")] : names
    }

    const plainBreaks = (
      base: JsonObject,
      next: JsonObject,
      direction: Direction,
      at: string,
      name?: string
    ) => {
      const [before, after] = [typeOf(base), typeOf(next)]
      const fits = direction === "request" ? isWithin(before, after) : isWithin(after, before)
      if (!fits) return [found(at, `is ${after ?? "anything"} instead of ${before ?? "anything"}`)]
      const isObjectToo = "properties" in base || "properties" in next || before === "object"
      return [
        ...valueBreaks(base, next, direction, at, name),
        ...(direction === "request" ? boundBreaks(base, next, at) : []),
        ...formBreaks(base, next, direction, at),
        ...("items" in base || "items" in next ? compare(base.items, next.items, direction, `${at}[]`) : []),
        ...(isObjectToo ? propertyBreaks(base, next, direction, at) : []),
        ...(isObjectToo ? otherBreaks(base, next, direction, at) : [])
      ]
    }

    const choiceBreaks = (
      base: Json | undefined,
      next: Json | undefined,
      direction: Direction,
      at: string
    ) => {
      const name = refOf(base)
      const [before, after] = [choicesOf(base, components.base), choicesOf(next, components.next)]
      const [onlyBefore, onlyAfter] = [before[0], after[0]]
      if (before.length === 1 && after.length === 1 && onlyBefore !== undefined && onlyAfter !== undefined) {
        const [one, other] = [refOf(onlyBefore.given), refOf(onlyAfter.given)]
        const isElsewhere = one !== undefined && other !== undefined && one !== name && other !== refOf(next)
        return isElsewhere
          ? compare(onlyBefore.given, onlyAfter.given, direction, at)
          : plainBreaks(onlyBefore.schema, onlyAfter.schema, direction, at, name)
      }
      const isRequest = direction === "request"
      const [from, to] = isRequest ? [before, after] : [after, before]
      const pairOf = (one: Choice, other: Choice) =>
        isRequest ? ([one.given, other.given] as const) : ([other.given, one.given] as const)
      return from.flatMap((one) => {
        const alike = to.filter((other) => markOf(other) === markOf(one))
        const [only, ...others] = alike
        if (only !== undefined && others.length === 0) return compare(...pairOf(one, only), direction, at)
        const fresh = comparing()
        if (to.some((other) => fresh(...pairOf(one, other), direction, at).length === 0)) return []
        if (!isRequest && isOpen(name)) return []
        return [found(at, `${isRequest ? "takes no more" : "may be"} ${markOf(one)}`)]
      })
    }

    const compare: SchemaBreaks = (base, next, direction, at) => {
      const [before, after] = [refOf(base), refOf(next)]
      if (before === undefined || after === undefined) return choiceBreaks(base, next, direction, at)
      const pair = `${direction} ${before} ${after}`
      if (met.has(pair)) return []
      met.add(pair)
      return choiceBreaks(base, next, direction, before === after ? `${before} (${direction})` : at)
    }
    return compare
  }

  return comparing()
}
