import { DateTime } from "effect"

/** Whole seconds from now until an instant when something may be tried again; at least one. */
export const secondsUntil = (instant: DateTime.Utc, now: DateTime.Utc): number =>
  Math.max(1, Math.ceil((DateTime.toEpochMillis(instant) - DateTime.toEpochMillis(now)) / 1000))

/** An instant as tokens tell it: whole seconds since 1970 (RFC 7519, 2). */
export const epochSeconds = (at: DateTime.Utc): number => Math.floor(DateTime.toEpochMillis(at) / 1000)
