/** Lists of calendar events: a page and the number of all, of those that the viewer may see. */
import { Duration, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { listedParticipants } from "../../domain/calendar/CalendarEvent.ts"
import type { Readable } from "../../domain/calendar/CalendarRules.ts"
import { type CalendarFilter, type CalendarPage, pageSize } from "../../domain/calendar/CalendarStore.ts"
import { SearchTookTooLong, searchSeconds } from "../../domain/thread/Thread.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, containing, first } from "../shared/Query.ts"
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

// Bytes of metadata on a page; what exceeds it is not read.
const metadataMax = 512 * 1024

const metadata = `case when sum(octet_length(e.meta::text)) over (order by e.starts_at, e.id) <= ${metadataMax}
  then e.meta else '{}'::jsonb end as meta`

/** The total, with an event of the page or none where the page is empty. */
type Row = { readonly total: number } & (EventRow | { readonly id: null })

const hasEvent = (row: Row): row is Row & EventRow => row.id !== null

/** The rows of a page of the events for which the condition holds, each with the total. */
const rowsOf = (
  sql: SqlClient.SqlClient,
  { viewer }: Readable,
  condition: Statement.Fragment,
  total: Statement.Fragment,
  { backwards, offset }: PageSpan
) => {
  const order = sql.literal(backwards ? "e.starts_at desc, e.id desc" : "e.starts_at, e.id")
  return all(
    sql<Row>`with page as materialized (
        select e.id from calendar_events e where ${condition} order by ${order}
        offset ${offset}::bigint limit ${sql.literal(String(pageSize))}
      )
      select counted.total, ${sql.literal(eventColumns)}, ${sql.literal(metadata)}
      from (select ${total} as total) counted
      left join (page join calendar_events e on e.id = page.id) on true
      left join calendar_participants mine on mine.event_id = e.id and mine.account_id = ${viewer ?? null}
      order by e.starts_at, e.id`
  )
}

const existing = (sql: SqlClient.SqlClient, readable: Readable) =>
  sql`e.deleted_at is null and ${isReadable(sql, readable)}`

/** Of events with these visibilities there are counts; of others the viewer sees those that they take part in. */
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

/** A page of all events. Far ones are counted from the nearer end. */
const makeWholeList = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* ({ page, readable }: CalendarFilter) {
    const condition = existing(sql, readable)
    const counted = totalOf(sql, readable)
    if (page <= fewPages) {
      return yield* rowsOf(sql, readable, condition, counted, wholePage(page, pageSize))
    }
    const total = (yield* first(sql<{ readonly total: number }>`select ${counted} as total`))?.total ?? 0
    const span = spanOf(page, pageSize, total)
    if (span.size === 0) return [{ total, id: null }]
    const rows = yield* rowsOf(sql, readable, condition, sql`${total}::int`, span)
    // The page nearest to the end may be a short one, and whole ones are read.
    return span.backwards ? rows.slice(-span.size) : rows.slice(0, span.size)
  })

/** A page of those that contain a text, which are all found to count them. */
const makeSearch =
  (sql: SqlClient.SqlClient) =>
  (text: string, { page, readable }: CalendarFilter) => {
    const condition = sql`${existing(sql, readable)} and e.search like ${containing(text)}`
    const total = sql`(select count(*)::int from calendar_events e where ${condition})`
    return rowsOf(sql, readable, condition, total, wholePage(page, pageSize))
  }

const tookTooLong = new SearchTookTooLong({
  metadata: { maximum_seconds: searchSeconds, retry_after: searchSeconds }
})

export const makeCalendarList = Effect.gen(function* () {
  const whole = makeWholeList(yield* QuickReads)
  const find = makeSearch(yield* SlowReads)
  const complete = yield* makeCalendarReader

  /** Waiting for a connection counts, too. What is interrupted is cancelled in the database. */
  const search = (text: string, filter: CalendarFilter) =>
    Effect.timeoutOrElse(find(text, filter), {
      duration: Duration.seconds(searchSeconds),
      orElse: () => Effect.fail(tookTooLong)
    })

  return Effect.fnUntraced(function* (filter: CalendarFilter) {
    const rows = yield* filter.text === undefined ? whole(filter) : search(filter.text, filter)
    const events = yield* complete(rows.filter(hasEvent).map(foundOf), {
      first: listedParticipants,
      viewer: filter.readable.viewer
    })
    return { total: rows[0]?.total ?? 0, events } satisfies CalendarPage
  })
})
