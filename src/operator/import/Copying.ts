/** Rows in the text form of `copy`. Pure. */

export type Value = string | number | boolean | object | undefined

const special = /[\\\n\r\t]/
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (text: string): string =>
  special.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character) : text

const fieldOf = (value: Value): string => {
  if (value === undefined) return "\\N"
  if (typeof value === "string") return escaped(value)
  if (typeof value === "object") return escaped(JSON.stringify(value))
  return String(value)
}

/** A line for a row. */
export const lineOf = (values: ReadonlyArray<Value>): string => `${values.map(fieldOf).join("\t")}\n`
