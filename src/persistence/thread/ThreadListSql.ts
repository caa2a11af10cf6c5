/** Lists of threads: which threads and in which order; what they show is read by their ids. */
import { Clock, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import { firstPage } from "../../domain/shared/ListPlace.ts"
import type { NewestThreads, ThreadListFilter, ThreadListPage } from "../../domain/thread/ThreadStore.ts"
import { pageSize } from "../../domain/thread/ThreadSummary.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { placedPage } from "../shared/LargeRows.ts"
import { readPage, rowsIn } from "../shared/PagedList.ts"
import { fewPages, type PageSpan, wholePage } from "../shared/PageSpan.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { orderText } from "../shared/RowOrder.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { narrowings, seenOf } from "./ThreadListConditions.ts"
import {
  type ListedRow,
  listedIn,
  orderOf,
  prefixOf,
  type Row,
  rowsOf,
  type Standing,
  sizes,
  standingOf,
  type Totals,
  threadsIn,
  totals,
  withTotal
} from "./ThreadListRows.ts"
import { isLongAgo, keyOfRow, walkedPage, walkIn } from "./ThreadWalkSql.ts"

/**
 * Whether people often ask for a list. Only then is its statement kept prepared: there are hundreds of ways to combine
 * what narrows a list, with as many texts, and each takes memory in every connection.
 */
const isUsual = ({ categories, place, tags, text }: ThreadListFilter, narrowed: ReadonlyArray<unknown>) =>
  text === undefined &&
  tags.length < 2 &&
  (narrowed.length === 0 ||
    (place.page <= fewPages && narrowed.length === 1 && (categories === null || categories.length < 2)))

/** The threads of a span, each beside the totals; where the span has none, one row with the totals alone. */
const rows = (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>,
  { backwards, offset }: PageSpan,
  found: Statement.Fragment
) => {
  const { ignorePinned, viewer } = list
  const inOrder = sql`from threads t where ${listedIn(sql, list, narrowed)}
    order by ${sql.literal(orderText([...prefixOf(list), ...orderOf(ignorePinned)], backwards))}`
  // A constant limit, and no offset where there is none, let the planner know how few rows are read.
  const limit = sql.literal(`limit ${pageSize}`)
  // What is passed over is read from an index alone.
  const passesOver = offset > 0 || narrowed.length > 1
  const listed = passesOver
    ? sql`select t.* from threads t where t.id = any(array(
        select t.id ${inOrder} ${offset === 0 ? sql.literal("") : sql`offset ${offset}::bigint`} ${limit}))`
    : sql`select * ${inOrder} ${limit}`
  return rowsOf(sql, { listed, viewer, found, order: orderOf(ignorePinned) })
}

/** Undeleted threads by id, in no order. */
const byIds = (sql: SqlClient.SqlClient, ids: ReadonlyArray<PostId>, viewer: AccountId | undefined) => {
  const listed = sql`select * from threads t where ${isOneOf(sql, "t.id", ids)} and t.deleted_at is null`
  const found = withTotal(sql, sql`0`, sql`0`)
  return Effect.map(all(rowsOf(sql, { listed, viewer, found, order: orderOf(true) })), threadsIn)
}

/** A page of a list with large threads. */
const rowsOfLarge = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>,
  standing: Standing
) {
  const { ignorePinned, place, viewer } = list
  const order = orderOf(ignorePinned)
  const placed = { conditions: [listedIn(sql, list, narrowed)], order, prefix: prefixOf(list) }
  const { ids, total } = yield* placedPage(sql, sizes, placed, { ...standing, page: place.page })
  if (ids.length === 0) return { total, rows: [] }
  const { tagsAndCategories, links, people } = standing
  const found = sql`select concat_ws('.', ${total}::int, ${people}::text, ${links}::text, ${tagsAndCategories}::text, 0) as totals`
  const listed = sql`select * from threads t where t.id = any(${ids}::text[]) and t.deleted_at is null`
  return { total, rows: yield* all(rowsOf(sql, { listed, viewer, found, order })) }
})

const rowsOfPage = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, filter: ThreadListFilter) {
  const narrowed = narrowings(sql, filter)
  const facts = totals(sql, filter, narrowed)
  const listed = yield* readPage<Totals, ListedRow>(sql, {
    page: filter.place.page,
    pageSize,
    countsFirst: narrowed.length > 0,
    isPrepared: isUsual(filter, narrowed),
    facts,
    standingOf,
    rows: (span, known) => rows(sql, filter, narrowed, span, known ?? facts)
  })
  const standing = standingOf(listed[0])
  return standing.extra === 0
    ? { total: standing.total, rows: listed }
    : yield* rowsOfLarge(sql, filter, narrowed, standing)
})

/** Where a walk goes on after a numbered page, which is where it begins. */
const nextOf = (
  { ignorePinned, place }: ThreadListFilter,
  total: number,
  rows: ReadonlyArray<Row>,
  now: number
) => {
  const last = rowsIn<Totals, ListedRow>(rows).at(-1)
  return last === undefined || place.page * pageSize >= total
    ? undefined
    : keyOfRow(ignorePinned, last, standingOf(last).snapshot, now)
}

/** A numbered page of a list. */
const page = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, filter: ThreadListFilter) {
  const now = yield* Clock.currentTimeMillis
  const { rows, total } = yield* rowsOfPage(sql, filter)
  return { total, threads: threadsIn(rows), next: nextOf(filter, total, rows, now) } satisfies ThreadListPage
})

/** The first threads of a list for guests, each whole, without what is true of the rest of the list. */
const newest = (sql: SqlClient.SqlClient, wanted: NewestThreads) => {
  const unnarrowed = { viewer: undefined, place: firstPage, ignorePinned: true, text: undefined }
  const filter = seenOf({ ...unnarrowed, ...wanted })
  const narrowed = narrowings(sql, filter)
  const nothing = withTotal(sql, sql`0`, sql`0`)
  const statement = rows(sql, filter, narrowed, wholePage(1, pageSize), nothing)
  return Effect.map(all(isUsual(filter, narrowed) ? statement : statement.unprepared), threadsIn)
}

export const makeThreadList = Effect.gen(function* () {
  const quick = yield* QuickReads
  const slow = yield* SlowReads

  return {
    list: Effect.fnUntraced(function* (list: ThreadListFilter) {
      const filter = seenOf(list)
      const walk = yield* walkIn(filter)
      if (walk === undefined) {
        return yield* filter.text === undefined ? page(quick, filter) : withinSearchTime(page(slow, filter))
      }
      return yield* filter.text === undefined && !isLongAgo(walk, yield* Clock.currentTimeMillis)
        ? walkedPage(quick, filter, walk)
        : withinSearchTime(walkedPage(slow, filter, walk))
    }),
    newest: (wanted: NewestThreads) => newest(quick, wanted),
    findHeads: (ids: ReadonlyArray<PostId>, viewer: AccountId | undefined) =>
      ids.length === 0 ? Effect.succeed([]) : byIds(quick, ids, viewer)
  } as const
})
