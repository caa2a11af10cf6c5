/** Random JSON values for the schemas of the API's description, most of which fit and some of which are hostile. */
import fc from "fast-check"
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt
} from "../../../src/http/document/Json.ts"
import { hostileMarkup } from "../../unit/hostile-markup.ts"
import { document } from "../conformance.ts"
import { reference } from "./known.ts"

const words = fc.constantFrom(
  ...["", " ", "text", "odin", "freya", "self", "null", "undefined", "true", "[]", "{}", "place", "a"],
  ...["-1", "0", "1.5", "1e309", "9".repeat(15), "9".repeat(400), "9223372036854775808", "٣", "NaN"],
  ...["%", "_", "\\", "'", '"', "$1", "'; select 1; --", "../..", "a?b", "a#b", "a&b=c", "+", ";x=1", "//"],
  ...[
    "\u202e\u2066x",
    "\u200b",
    "\ufeff",
    "İıſΣς",
    "e\u0301",
    "ﷺ",
    "\u{1f468}\u200d\u{1f469}",
    "\ufffe\uffff"
  ],
  ...["\t\r\n", "\u0001", "\u007f", "\u2028", "http://a.test/", "javascript:1", "http://[", "sdr:profile/x"]
)

/** Texts that are long, or become long when they are normalised, escaped or parsed. */
const longText = fc
  .tuple(
    fc.constantFrom(
      "x",
      "é",
      "\u{1d30c}",
      "ﷺ",
      "<b>",
      "<a href=http://a.test>",
      "&amp;",
      "a ",
      "\u0301",
      "-",
      '"'
    ),
    fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 12_000 }))
  )
  .map(([unit, times]) => unit.repeat(times))

/** Long text that cannot be compressed, as indexes would. */
const noise = fc.tuple(fc.nat(), fc.nat({ max: 12_000 })).map(([seed, length]) => {
  let state = seed
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return String.fromCodePoint(0x61 + ((state >>> 16) % 0x200))
  }).join("")
})

const mention = reference("account_id").map((id) => `<a href="sdr:profile/${id}">x</a>`)

/** Any text without NUL and unpaired surrogates. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: words, weight: 6 },
  { arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }), weight: 3 },
  {
    arbitrary: fc.string({ unit: "binary", maxLength: 20 }).map((text) => text.replaceAll("\0", "")),
    weight: 3
  },
  { arbitrary: hostileMarkup.map((text) => text.replaceAll("\0", "").toWellFormed()), weight: 2 },
  { arbitrary: mention, weight: 1 },
  { arbitrary: fc.oneof(longText, noise), weight: 1 }
)

const nestedList = fc.nat({ max: 200 }).map((depth): Json => {
  let value: Json = []
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
})

const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value)))

const anyObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.oneof(anyText, fc.constantFrom("__proto__", "constructor", "toString", "length")),
  fc.oneof(anyJson, anyText),
  { maxKeys: 4 }
)

/** Values of every kind, most of which do not belong where they are put. */
export const oddValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    ...[null, true, false, 0, -0, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 5e-324],
    ...["", "\0", "a?b\0", "\ud800", "\udc00x", "x".repeat(70_000), [], {}, [[]], [null], { "": {} }]
  ),
  anyText,
  anyObject,
  nestedList,
  fc.nat({ max: 3_000 }).map((count): Json => Array.from({ length: count }, (_, n) => `x${n}`)),
  fc.nat({ max: 3_000 }).map((count): Json => Array.from({ length: count }, () => ({})))
)

const resolved = (schema: JsonObject): JsonObject => {
  const name = textAt(schema, "$ref")?.split("/").at(-1)
  return name === undefined ? schema : objectAt(objectAt(objectAt(document, "components"), "schemas"), name)
}

const boundOf = (schema: JsonObject, key: string, otherwise: number) => {
  const bound = schema[key]
  return typeof bound === "number" ? bound : otherwise
}

const webAddress = fc.constantFrom(
  ...[
    "http://a.test",
    "https://a.test/?q=%00",
    "https://b.test/C++#x",
    "https://\u00fc.test:8080/ä b",
    "https://x:y@c.test/"
  ],
  ...[`https://d.test/${"x".repeat(3_000)}`, "ftp://e.test", "//f.test"]
)

const textOf = (schema: JsonObject, name: string): fc.Arbitrary<string> => {
  if (schema.format === "xid") return reference(name)
  if (schema.format === "password") return fc.constantFrom("correct horse battery", "another long password")
  if (schema.format === "uri" || name === "url")
    return fc.oneof({ arbitrary: webAddress, weight: 4 }, anyText)
  const [minimum, maximum] = [boundOf(schema, "minLength", 0), boundOf(schema, "maxLength", 20_000)]
  const examples = listAt(schema, "examples").filter((example) => typeof example === "string")
  const fitting = fc.oneof(reference(name), anyText, ...examples.map((example) => fc.constant(example)))
  return fitting.map((text) => [...text].slice(0, maximum).join("").padEnd(minimum, "x"))
}

const objectOf = (schema: JsonObject): fc.Arbitrary<Json> => {
  const properties = Object.entries(objectAt(schema, "properties"))
  if (properties.length === 0) return anyObject
  const fields: Record<string, fc.Arbitrary<Json>> = Object.fromEntries(
    properties.map(([key, value]) => [key, valueOf(isObject(value) ? value : {}, key)])
  )
  const requiredKeys = listAt(schema, "required").filter((key) => typeof key === "string")
  return fc.record(fields, { requiredKeys })
}

/** A value of a schema, as far as the description tells; `name` is what it is the value of. */
export const valueOf = (schema: JsonObject, name: string): fc.Arbitrary<Json> => {
  const { anyOf, enum: options, oneOf, type } = resolved(schema)
  const inner = resolved(schema)
  if (Array.isArray(options)) return fc.constantFrom(...options)
  const choices = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  if (choices.length > 0) return fc.oneof(...choices.map((one) => valueOf(isObject(one) ? one : {}, name)))
  switch (type) {
    case "string":
      return textOf(inner, name)
    case "boolean":
      return fc.boolean()
    case "integer":
    case "number":
      return fc.integer({ min: boundOf(inner, "minimum", -9), max: boundOf(inner, "maximum", 2 ** 31 - 1) })
    case "array": {
      const maxLength = Math.min(boundOf(inner, "maxItems", 60), 60)
      return fc.array(valueOf(objectAt(inner, "items"), name), { maxLength, size: "small" })
    }
    case "object":
      return objectOf(inner)
    default:
      return oddValue
  }
}

type Place = ReadonlyArray<string | number>

const placesIn = (value: Json, place: Place = []): ReadonlyArray<Place> => {
  if (Array.isArray(value)) return [place, ...value.flatMap((item, n) => placesIn(item, [...place, n]))]
  if (!isObject(value)) return [place]
  return [place, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...place, key]))]
}

const changedAt = (value: Json, [first, ...rest]: Place, change: (old: Json) => Json | undefined): Json => {
  if (first === undefined) return change(value) ?? {}
  const changeField = (key: string, field: Json): ReadonlyArray<readonly [string, Json]> => {
    if (key !== String(first)) return [[key, field]]
    const next = rest.length === 0 ? change(field) : changedAt(field, rest, change)
    return next === undefined ? [] : [[key, next]]
  }
  const fields = Object.entries(value ?? {}).flatMap(([key, field]) => changeField(key, field))
  return Array.isArray(value) ? fields.map(([, field]) => field) : Object.fromEntries(fields)
}

const change: fc.Arbitrary<(old: Json) => Json | undefined> = fc.oneof(
  oddValue.map((odd) => () => odd),
  fc.constant(() => undefined),
  fc.constant((old: Json) => [old]),
  fc.constant((old: Json) => ({ value: old })),
  fc
    .nat({ max: 300 })
    .map((count) => (old: Json) => (Array.isArray(old) ? Array(count).fill(old[0] ?? null) : old)),
  fc.tuple(anyText, oddValue).map(
    ([key, odd]) =>
      (old: Json) =>
        isObject(old) ? { ...old, [key]: odd } : odd
  )
)

/** The values, with one part of each dropped, replaced, repeated or extended. */
export const damaged = (values: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.tuple(values, fc.nat(), change).map(([value, choice, how]) => {
    const places = placesIn(value)
    return changedAt(value, places[choice % places.length] ?? [], how)
  })
