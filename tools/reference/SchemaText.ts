/** Schemas of the description in words. Pure. */
import { isObject, type Json, type JsonObject, listAt, textAt } from "../../src/http/document/Json.ts"

const nameOf = (schema: Json | undefined) => textAt(schema, "$ref")?.split("/").at(-1)

/** What kind of value it is. */
export const typeText = (schema: Json | undefined): string => {
  if (!isObject(schema)) return "anything"
  const name = nameOf(schema)
  if (name !== undefined) return `\`${name}\``
  const choices = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")]
  if (choices.length > 0) return [...new Set(choices.map(typeText))].join(" or ")
  if ("const" in schema) return `\`${JSON.stringify(schema.const)}\``
  if ("enum" in schema)
    return listAt(schema, "enum")
      .map((value) => `\`${JSON.stringify(value)}\``)
      .join(", ")
  const type = textAt(schema, "type")
  if (type === "array") return `list of ${typeText(schema.items)}`
  const words: Readonly<Record<string, string>> = {
    string: "text",
    integer: "whole number",
    boolean: "true or false"
  }
  const format = textAt(schema, "format")
  if (type === undefined) return listAt(schema, "type").map(String).join(" or ") || "anything"
  return format === undefined ? (words[type] ?? type) : `${words[type] ?? type} (${format})`
}

const range = (schema: JsonObject, lower: string, upper: string, unit: string): ReadonlyArray<string> => {
  const [least, most] = [schema[lower], schema[upper]]
  const isNothing = least === undefined || (least === 0 && lower !== "minimum")
  const shown = (value: Json | undefined) => (typeof value === "number" ? value.toLocaleString("en") : "")
  if (isNothing && most === undefined) return []
  if (isNothing) return [`at most ${shown(most)}${unit}`]
  if (most === undefined) return [`at least ${shown(least)}${unit}`]
  return [least === most ? `${shown(most)}${unit}` : `${shown(least)} to ${shown(most)}${unit}`]
}

/** What bounds a value. */
export const boundsText = (schema: Json | undefined): string => {
  if (!isObject(schema)) return ""
  const own = [
    ...range(schema, "minLength", "maxLength", " characters"),
    ...range(schema, "minimum", "maximum", ""),
    ...range(schema, "exclusiveMinimum", "exclusiveMaximum", ", without these"),
    ...range(schema, "minItems", "maxItems", " entries"),
    ...range(schema, "minProperties", "maxProperties", " fields"),
    ...(schema.uniqueItems === true ? ["each once"] : [])
  ]
  const inner = boundsText(schema.items)
  const names = boundsText(schema.propertyNames)
  const choices = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf"), ...listAt(schema, "allOf")]
  const others = [...new Set(choices.map(boundsText).filter((text) => text !== ""))]
  return [
    ...own,
    ...(inner === "" ? [] : [`each ${inner}`]),
    ...(names === "" ? [] : [`names ${names}`]),
    ...others
  ].join("; ")
}
