/** Lists of calendar events: a page and the number of all, of those that the viewer may see. */
import { Duration, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { listedParticipants } from "../../domain/calendar/CalendarEvent.ts"
import type { Readable } from "../../domain/calendar/CalendarRules.ts"
import { type CalendarFilter, type CalendarPage, pageSize } from "../../domain/calendar/CalendarStore.ts"
import { SearchTookTooLong, searchSeconds } from "../../domain/thread/Thread.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { all, containing } from "../shared/Query.ts"
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

const rowsOf = (sql: SqlClient.SqlClient, { page, readable, text }: CalendarFilter) => {
  const narrowed = text === undefined ? [] : [sql`e.search like ${containing(text)}`]
  const condition = sql.and([sql`e.deleted_at is null`, isReadable(sql, readable), ...narrowed])
  return all(
    sql<Row>`with page as materialized (
        select e.id from calendar_events e where ${condition}
        order by e.starts_at, e.id
        offset ${(page - 1) * pageSize}::bigint limit ${sql.literal(String(pageSize))}
      )
      select counted.total, ${sql.literal(eventColumns)}, ${sql.literal(metadata)}
      from (select count(*)::int as total from calendar_events e where ${condition}) counted
      left join (page join calendar_events e on e.id = page.id) on true
      left join calendar_participants mine
        on mine.event_id = e.id and mine.account_id = ${readable.viewer ?? null}
      order by e.starts_at, e.id`
  )
}

const tookTooLong = new SearchTookTooLong({
  metadata: { maximum_seconds: searchSeconds, retry_after: searchSeconds }
})

export const makeCalendarList = Effect.gen(function* () {
  const quick = yield* QuickReads
  const slow = yield* SlowReads
  const complete = yield* makeCalendarReader

  /** Waiting for a connection counts, too. What is interrupted is cancelled in the database. */
  const search = (filter: CalendarFilter) =>
    Effect.timeoutOrElse(rowsOf(slow, filter), {
      duration: Duration.seconds(searchSeconds),
      orElse: () => Effect.fail(tookTooLong)
    })

  return Effect.fnUntraced(function* (filter: CalendarFilter) {
    const rows = yield* filter.text === undefined ? rowsOf(quick, filter) : search(filter)
    const events = yield* complete(rows.filter(hasEvent).map(foundOf), {
      first: listedParticipants,
      viewer: filter.readable.viewer
    })
    return { total: rows[0]?.total ?? 0, events } satisfies CalendarPage
  })
})
