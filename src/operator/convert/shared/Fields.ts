/** Reads fields of rows of other programs, of which nothing is certain. Pure. */
import { timeOf, unknownTime } from "./Ids.ts"

export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : String(value)

/** A text as a part of a path. */
export const segment = (text: unknown): string => encodeURIComponent(textOf(text).toWellFormed())

/** None for the empty text. */
export const someText = (value: unknown): string | undefined => {
  const text = textOf(value)
  return text.trim() === "" ? undefined : text
}

export const cutTo = (text: string, characters: number): string =>
  text.length <= characters ? text : text.slice(0, characters).replace(/[\ud800-\udbff]$/, "")

/** Only what there is: a field without a value has no key in a record. */
export const existing = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** When a row was made and changed, by columns of PostgreSQL. */
export const timesOf = ({ created_at, updated_at }: Readonly<Record<string, unknown>>) => {
  const created = timeOf(created_at) ?? unknownTime
  const updated = timeOf(updated_at) ?? created
  return { created_at: created, updated_at: updated < created ? created : updated }
}

/** An address of the web, if a text is one. */
export const webAddress = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const given = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`
  if (!URL.canParse(given)) return undefined
  const { href, protocol } = new URL(given)
  return protocol === "https:" || protocol === "http:" ? href : undefined
}

export const whole = (value: unknown): number => {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : 0
}
