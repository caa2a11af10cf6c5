/** What is kept of what NodeBB stores, whichever database it is in. Pure. */
import type { Field } from "../shared/CopyText.ts"
import { hashKey, setKey, sortedKey } from "./Keys.ts"

export type Fields = ReadonlyArray<Field>

/** The columns of the rows below. */
export const columns = {
  legacy_hash: ["_key", "kind", "id", "data"],
  legacy_zset: ["item", "kind", "id", "value", "score"],
  legacy_set: ["item", "kind", "id", "value"]
} as const

/** Of objects that are left out, only that they are there. */
const withoutContent = new Set(["room", "queued", "elsewhere", "flag"])

/** An object; none of what is not read. */
export const hashRow = (key: string, data: () => Field): Fields | undefined => {
  const of = hashKey(key)
  return of && [key, of.kind, of.id, withoutContent.has(of.kind) ? "{}" : data()]
}

/** A member of a list with scores. */
export const sortedRow = (key: string, value: Field, score: Field): Fields | undefined => {
  const of = sortedKey(key)
  return of && [`${key}\n${value}`, of.kind, of.id, value, score]
}

/** A member of a set. */
export const setRow = (key: string, member: Field): Fields | undefined => {
  const of = setKey(key)
  return of && [`${key}\n${member}`, of.kind, of.id, member]
}
