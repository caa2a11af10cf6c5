/** From what the driver returns to what the domain knows. */
import { DateTime } from "effect"

/** A `timestamptz`, as it comes in a column or inside JSON, as the domain's instant. */
export const utc = (instant: Date | string): DateTime.Utc => DateTime.makeUnsafe(instant)

/** An instant as a `timestamptz`. */
export const timestamp = (at: DateTime.Utc): Date => DateTime.toDateUtc(at)
