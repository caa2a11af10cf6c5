/** From what the driver returns to what the domain knows. */
import { DateTime } from "effect"

/** A `timestamptz`, as it comes in a column or inside JSON, as the domain's instant. */
export const utc = (instant: Date | string): DateTime.Utc => DateTime.makeUnsafe(instant)

/** An instant as a `timestamptz`. */
export const timestamp = (at: DateTime.Utc): Date => DateTime.toDateUtc(at)

/**
 * Joins the row of a table that has this id, looked up by its key for each row
 * before it. A page has few rows; `offset 0` keeps the planner from reading a
 * whole table for them.
 */
export const byKey = (table: string, alias: string, id: string): string =>
  `join lateral (select * from ${table} where id = ${id} offset 0) ${alias} on true`
