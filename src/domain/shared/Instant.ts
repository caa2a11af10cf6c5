/** Instants as clients send them. */
import { Schema, SchemaGetter } from "effect"
import { Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"

const form = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i

const firstYear = 1900

/** Whether there is such a day: `Date` takes the 30th of February for another day. */
const isDay = (day: string): boolean => {
  const start = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day)
}

/** Whether a text is an instant with its offset, from 1900 to 9999. */
export const isInstant = (text: string): boolean => {
  const day = form.exec(text)?.[1]
  if (day === undefined || !isDay(day)) return false
  const year = new Date(text.toUpperCase()).getUTCFullYear()
  return year >= firstYear && year <= 9999
}

const toTimestamp = (text: string): Timestamp => Timestamp.make(new Date(text.toUpperCase()).toISOString())

/** An instant of RFC 3339 with any offset, kept in UTC to the millisecond. */
export const Instant = Text.verbatim({
  max: 64,
  format: "date-time",
  description: `An instant in RFC 3339 with its offset, from ${firstYear} to 9999; kept to the millisecond, without leap seconds`
})
  .check(
    Schema.makeFilter(isInstant, {
      expected: `an instant such as 2026-11-21T14:13:09Z, from ${firstYear} to 9999, with seconds up to 59`,
      toJsonSchema: () => [{}, true]
    })
  )
  .pipe(
    Schema.decodeTo(Timestamp, {
      decode: SchemaGetter.transform(toTimestamp),
      encode: SchemaGetter.passthrough<string>()
    })
  )
