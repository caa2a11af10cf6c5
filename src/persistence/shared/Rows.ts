/** From what the driver returns to what the domain knows. */
import { DateTime } from "effect"
import type { Timestamp } from "../../domain/shared/Resource.ts"

/** A `timestamptz` as an instant to reckon with. */
export const utc = (instant: Date): DateTime.Utc => DateTime.makeUnsafe(instant)

// Instants mostly come in twos, of making and of changing, and writing one is dear.
let lastMillis = Number.NaN
let lastShown = ""

/** A `timestamptz`, as it comes in a column or inside JSON, as resources show it. */
export const shown = (instant: Date | string): Timestamp => {
  const date = typeof instant === "string" ? new Date(instant) : instant
  if (date.getTime() !== lastMillis) {
    lastMillis = date.getTime()
    lastShown = date.toISOString()
  }
  // What a date writes is a timestamp; checking each would cost more than the writing.
  return lastShown as Timestamp
}

/** An instant as a `timestamptz`. */
export const timestamp = (at: DateTime.Utc): Date => DateTime.toDateUtc(at)

/**
 * Joins the row of a table that has this id, looked up by its key for each row
 * before it. A page has few rows; `offset 0` keeps the planner from reading a
 * whole table for them.
 */
export const byKey = (table: string, alias: string, id: string): string =>
  `join lateral (select * from ${table} where id = ${id} offset 0) ${alias} on true`
