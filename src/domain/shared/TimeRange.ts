/** Ranges of time as lists are narrowed by them. Pure. */
import { Schema } from "effect"
import * as Text from "../field/Text.ts"

/** A range of time. Both ends belong to it; without one of them, it is open there. */
export interface TimeRange {
  readonly start?: Date
  readonly end?: Date
}

const date = String.raw`(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?`
const dateForm = new RegExp(`^${date}$`)

// What the database can store. An offset may lead beyond the years of four digits.
const [earliest, latest] = [Date.parse("0001-01-01T00:00:00.000Z"), Date.parse("9999-12-31T23:59:59.999Z")]

/** Whether there is such a day: `Date` takes the 30th of February for a day in March. */
const isDay = (day: string): boolean => {
  const midnight = new Date(`${day}T00:00:00.000Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

const instantOf = (text: string): Date | undefined => {
  const day = dateForm.exec(text)?.[1]
  if (day === undefined || !isDay(day)) return undefined
  const millis = Date.parse(text)
  return Number.isNaN(millis) ? undefined : new Date(Math.min(latest, Math.max(earliest, millis)))
}

/** Reads `start/end`, `start/`, `/end` and `start`, or answers that it is none of them. */
export const readTimeRange = (text: string): TimeRange | undefined => {
  const [from = "", to = "", ...rest] = text.split("/")
  if (rest.length > 0 || (from === "" && to === "")) return undefined
  const [start, end] = [instantOf(from), instantOf(to)]
  if ((from !== "" && start === undefined) || (to !== "" && end === undefined)) return undefined
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
}

/** A range in a query, as text; `readTimeRange` reads every text that this accepts. */
export const timeRangeQuery = (description: string) =>
  Text.term({
    max: 100,
    format: "iso8601-interval",
    pattern: `^(${date}(/(${date})?)?|/${date})$`,
    description: `${description} Two instants with \`/\` between, of which one may be left out; both belong to the range. Each is RFC 3339 without leap seconds, or a day, which means its midnight in UTC.`,
    examples: ["2026-01-01/2026-02-01T12:00:00Z"]
  }).check(
    Schema.makeFilter((text) => readTimeRange(text) !== undefined, {
      expected: "one or two instants with seconds up to 59, with one slash between"
    })
  )
