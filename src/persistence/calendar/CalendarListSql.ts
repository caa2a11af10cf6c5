/** Lists of calendar events: a page and the number of all, of those that the viewer may see. */
import { Duration, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { listedParticipants } from "../../domain/calendar/CalendarEvent.ts"
import type { Readable } from "../../domain/calendar/CalendarRules.ts"
import { type CalendarFilter, type CalendarPage, pageSize } from "../../domain/calendar/CalendarStore.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { SearchTookTooLong, searchSeconds } from "../../domain/text/SearchTookTooLong.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { extraPlaces, placedPage, type RowSizes, type Standing } from "../shared/LargeRows.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, containing, first } from "../shared/Query.ts"
import { orderText, type RowOrder } from "../shared/RowOrder.ts"
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

/** How events take places. */
const sizes: RowSizes = { table: "calendar_events e", id: "e.id", size: "e.weight", pageSize }

const order: RowOrder = [
  ["e.starts_at", "asc"],
  ["e.id", "asc"]
]

/** The total, with an event of the page or none where the page is empty. */
type Row = Standing & (EventRow | { readonly id: null })

const hasEvent = (row: Row): row is Row & EventRow => row.id !== null

const noRow = (standing: Standing): Row => ({ ...standing, id: null })

/** Pages of the events for which a condition holds, the first by start first. */
const makeReading = (sql: SqlClient.SqlClient) => {
  /** The rows of events, each with the standing of the list; none where large events take more than one place. */
  const rowsOf = (viewer: AccountId | undefined, standing: Statement.Fragment, page: Statement.Fragment) =>
    all(
      sql<Row>`with page as materialized (${page})
        select counted.*, ${sql.literal(eventColumns)}, e.meta
        from (${standing}) counted
        left join (page join calendar_events e on e.id = page.id) on counted.extra = 0
        left join calendar_participants mine on mine.event_id = e.id and mine.account_id = ${viewer ?? null}
        order by e.starts_at, e.id`
    )

  /** As if each event took one place. */
  const inOrder = (
    condition: Statement.Fragment,
    viewer: AccountId | undefined,
    standing: Statement.Fragment,
    { backwards, offset }: PageSpan
  ) =>
    rowsOf(
      viewer,
      standing,
      sql`select e.id from calendar_events e where ${condition} order by ${sql.literal(orderText(order, backwards))}
        offset ${offset}::bigint limit ${sql.literal(String(pageSize))}`
    )

  const counting = (condition: Statement.Fragment, total: Statement.Fragment) =>
    sql<Standing>`select ${total} as total, ${extraPlaces(sql, sizes, [condition])} as extra`

  const known = ({ extra, total }: Standing) => sql`select ${total}::int as total, ${extra}::int as extra`

  /** What was read of a page if no event takes more than one place. */
  const placed = Effect.fnUntraced(function* (
    condition: Statement.Fragment,
    { page, readable }: CalendarFilter,
    rows: ReadonlyArray<Row>
  ) {
    const [any] = rows
    if (any === undefined || any.extra === 0) return rows
    const { extra, total } = any
    const found = yield* placedPage(sql, sizes, { conditions: [condition], order }, { extra, page, total })
    const standing = known({ total: found.total, extra: 0 })
    return yield* rowsOf(readable.viewer, standing, sql`select id from unnest(${found.ids}::text[]) id`)
  })

  return { inOrder, counting, known, placed }
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
const makeWholeList = (sql: SqlClient.SqlClient) => {
  const { counting, inOrder, known, placed } = makeReading(sql)

  const rowsOf = Effect.fnUntraced(function* (
    condition: Statement.Fragment,
    { page, readable }: CalendarFilter
  ) {
    const { viewer } = readable
    const counted = counting(condition, totalOf(sql, readable))
    if (page <= fewPages) return yield* inOrder(condition, viewer, counted, wholePage(page, pageSize))
    const standing = (yield* first(counted)) ?? { total: 0, extra: 0 }
    const span = spanOf(page, pageSize, standing.total)
    if (span.size === 0 || standing.extra > 0) return [noRow(standing)]
    const rows = yield* inOrder(condition, viewer, known(standing), span)
    // The page nearest to the end may be a short one, and whole ones are read.
    return span.backwards ? rows.slice(-span.size) : rows.slice(0, span.size)
  })

  return Effect.fnUntraced(function* (filter: CalendarFilter) {
    const condition = existing(sql, filter.readable)
    return yield* placed(condition, filter, yield* rowsOf(condition, filter))
  })
}

/** A page of those that contain a text, which are all found to count them. */
const makeSearch = (sql: SqlClient.SqlClient) => {
  const { counting, inOrder, placed } = makeReading(sql)
  return Effect.fnUntraced(function* (text: string, filter: CalendarFilter) {
    const condition = sql`${existing(sql, filter.readable)} and e.search like ${containing(text)}`
    const counted = counting(condition, sql`(select count(*)::int from calendar_events e where ${condition})`)
    const span = wholePage(filter.page, pageSize)
    return yield* placed(condition, filter, yield* inOrder(condition, filter.readable.viewer, counted, span))
  })
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
