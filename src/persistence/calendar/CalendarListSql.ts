/** Lists of the calendar events that a viewer may see: one page, and the number of all. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { listedParticipants } from "../../domain/calendar/CalendarEvent.ts"
import type { Readable } from "../../domain/calendar/CalendarRules.ts"
import { type CalendarFilter, type CalendarPage, pageSize } from "../../domain/calendar/CalendarStore.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { pagedList } from "../shared/PagedList.ts"
import { containing } from "../shared/Query.ts"
import { makeCalendarReader } from "./CalendarReader.ts"
import { type EventRow, eventColumns, foundOf } from "./CalendarRows.ts"

/** The condition that a viewer may see a row of `calendar_events e`. */
export const isReadable = (
  sql: SqlClient.SqlClient,
  { attendee, host, others, viewer }: Readable
): Statement.Fragment =>
  viewer === undefined
    ? sql`e.visibility = any(${others}::text[])`
    : sql`(e.visibility = any(${others}::text[]) or exists (
        select from calendar_participants p where p.event_id = e.id and p.account_id = ${viewer}
          and e.visibility = any(case p.role when 'host' then ${host}::text[] else ${attendee}::text[] end)))`

const list = pagedList<EventRow>({
  table: "calendar_events",
  row: "e",
  columns: `${eventColumns}, e.meta`,
  order: [
    ["e.starts_at", "asc", "timestamptz"],
    ["e.id", "asc", "text"]
  ],
  pageSize,
  size: "e.weight"
})

const existing = (sql: SqlClient.SqlClient, readable: Readable) => [
  sql`e.deleted_at is null`,
  isReadable(sql, readable)
]

/** The join with the row of the viewer's participation in an event, as `mine`. */
const joins = (sql: SqlClient.SqlClient, { viewer }: Readable) =>
  sql`left join calendar_participants mine on mine.event_id = e.id and mine.account_id = ${viewer ?? null}`

/**
 * How many events the viewer sees: kept counts of the visibilities that need no part in an event, and of the others the
 * events that the viewer takes part in.
 */
const totalOf = (sql: SqlClient.SqlClient, readable: Readable) => {
  const { attendee, host, others, viewer } = readable
  const counted = sql.literal(others.map((visibility) => `sum(${visibility})`).join(" + "))
  const seen = sql`(select (${counted})::int from calendar_totals)`
  return viewer === undefined
    ? seen
    : sql`(${seen} + (select count(*)::int from calendar_participants p join calendar_events e on e.id = p.event_id
        where p.account_id = ${viewer} and e.deleted_at is null and e.visibility <> all(${others}::text[])
          and e.visibility = any(case p.role when 'host' then ${host}::text[] else ${attendee}::text[] end)))`
}

const whole = (sql: SqlClient.SqlClient, { place, readable }: CalendarFilter) =>
  list.page(sql, {
    place,
    conditions: existing(sql, readable),
    facts: sql`select ${totalOf(sql, readable)} as total`,
    joins: joins(sql, readable)
  })

const search = (sql: SqlClient.SqlClient, { place, readable }: CalendarFilter, text: string) =>
  list.search(sql, {
    place,
    conditions: [...existing(sql, readable), sql`e.search like ${containing(text)}`],
    joins: joins(sql, readable)
  })

export const makeCalendarList = Effect.gen(function* () {
  const quick = yield* QuickReads
  const slow = yield* SlowReads
  const complete = yield* makeCalendarReader

  return Effect.fnUntraced(function* (filter: CalendarFilter) {
    const { readable, text } = filter
    const { next, rows, total } = yield* text === undefined
      ? whole(quick, filter)
      : search(slow, filter, text)
    const events = yield* complete(rows.map(foundOf), {
      first: listedParticipants,
      viewer: readable.viewer
    })
    return { total, next, events } satisfies CalendarPage
  })
})
