/** From what the driver returns to what the domain knows, and back. */
import { DateTime } from "effect"
import type { Timestamp } from "../../domain/shared/Resource.ts"

/** A `timestamptz` as an instant to calculate with. */
export const toDateTime = (instant: Date): DateTime.Utc => DateTime.makeUnsafe(instant)

// Instants mostly come in pairs, of creation and change, and formatting one is expensive.
let lastMillis = Number.NaN
let lastText = ""

/** A `timestamptz` as resources show it. */
export const toTimestamp = (instant: Date): Timestamp => {
  if (instant.getTime() !== lastMillis) {
    lastMillis = instant.getTime()
    lastText = instant.toISOString()
  }
  // What a date formats is a timestamp; checking each would cost more than formatting it.
  return lastText as Timestamp
}

/** An instant as a `timestamptz`. */
export const toDate = (at: DateTime.Utc): Date => DateTime.toDateUtc(at)
