/** Lists of threads: which threads and in which order; what they show is read by their ids. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import type { ThreadListFilter, ThreadListPage } from "../../domain/thread/ThreadStore.ts"
import { pageSize } from "../../domain/thread/ThreadSummary.ts"
import { isInCollection } from "../collection/MembershipSql.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { extraPlaces, placedPage, type RowSizes } from "../shared/LargeRows.ts"
import { type Listed, readPage, rowsIn } from "../shared/PagedList.ts"
import { fewPages, type PageSpan } from "../shared/PageSpan.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { orderText, type RowOrder } from "../shared/RowOrder.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { isSeen, narrowings, seenOf, totalOf } from "./ThreadListConditions.ts"
import { type SummaryRow, summaryOf, threadColumns, viewerColumns } from "./ThreadSummarySql.ts"

interface Totals {
  /**
   * How many threads there are, the versions of all people, of all links, and of tags and categories, which listed
   * threads show, and how many places large threads take beyond one each. All are one column, with dots between,
   * because rows must not have many (see `SummaryRow`).
   */
  readonly totals: string
}

interface ListedRow extends SummaryRow {
  readonly version: string
}

// As in the index of large threads.
const sizes: RowSizes = {
  table: "threads t",
  id: "t.id",
  size: "t.opening_weight + 200 * cardinality(t.tag_ids)",
  pageSize
}

/** The totals, with a listed thread or nothing. */
type Row = Listed<Totals, ListedRow>

/**
 * Whether people often ask for a list. Only then is its statement kept prepared: there are hundreds of ways to combine
 * what narrows a list, with as many texts, and each takes memory in every connection.
 */
const isUsual = ({ categories, page, tags, text }: ThreadListFilter, narrowed: ReadonlyArray<unknown>) =>
  text === undefined &&
  tags.length < 2 &&
  (narrowed.length === 0 ||
    (page <= fewPages && narrowed.length === 1 && (categories === null || categories.length < 2)))

const orderOf = (ignorePinned: boolean): RowOrder => [
  ...(ignorePinned ? [] : [["t.pinned", "desc", "integer"] as const]),
  ["t.active_at", "desc", "timestamptz"],
  ["t.id", "desc", "text"]
]

/**
 * The column that the order of threads without a category names first, as PostgreSQL would otherwise not see that their
 * index has this order.
 */
const prefixOf = ({ categories }: ThreadListFilter): RowOrder =>
  categories === null ? [["t.category_id", "asc", "text"]] : []

const withTotal = (sql: SqlClient.SqlClient, total: Statement.Fragment, extra: Statement.Fragment) =>
  sql<Totals>`select concat_ws('.', ${total}, sum(people), sum(links), sum(tags_and_categories), ${extra}) as totals
    from change_versions`

const listedIn = (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>
) => sql.and([sql`t.deleted_at is null`, isSeen(sql, list, list.filter), ...narrowed])

const totals = (
  sql: SqlClient.SqlClient,
  filter: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>
) =>
  withTotal(sql, totalOf(sql, filter, narrowed), extraPlaces(sql, sizes, [listedIn(sql, filter, narrowed)]))

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
  return rowsOf(sql, listed, viewer, found, orderOf(ignorePinned))
}

const rowsOf = (
  sql: SqlClient.SqlClient,
  listed: Statement.Fragment,
  viewer: AccountId | undefined,
  found: Statement.Fragment,
  order: RowOrder
) => {
  // The viewer's rows are looked up by all ids at once, which takes one descent of the index where they are close.
  const ofViewer = sql`account_id = ${viewer ?? null} and`
  const amongListed = sql`= any((select ids from listed)::text[])`
  const inOwn = sql`owner_id = ${viewer ?? null} and ${sql.literal(isInCollection)}`
  return sql<Row>`with page as materialized (${listed}),
      listed as materialized (
        select array_agg(id) as ids, array_agg(id) filter (where in_collections > 0) as collected from page)
    select found.*, ${sql.literal(threadColumns)}, t.version::text, ${sql.literal(viewerColumns)},
      liked.post_id is not null or null as has_likes, collected.post_id is not null or null as has_collected
    from (${found}) found left join page t on true
    left join (select * from read_marks where ${ofViewer} thread_id ${amongListed}) mark on mark.thread_id = t.id
    left join (select * from thread_participants where ${ofViewer} thread_id ${amongListed}) mine
      on mine.thread_id = t.id
    left join (select * from likes where ${ofViewer} post_id ${amongListed}) liked on liked.post_id = t.id
    left join (select distinct post_id from collection_items where ${inOwn} and post_id
      = any((select collected from listed)::text[])) collected on collected.post_id = t.id
    order by ${sql.literal(orderText(order, false))}`
}

/** Undeleted threads by id, in no order. */
const byIds = (sql: SqlClient.SqlClient, ids: ReadonlyArray<PostId>, viewer: AccountId | undefined) => {
  const listed = sql`select * from threads t where ${isOneOf(sql, "t.id", ids)} and t.deleted_at is null`
  return Effect.map(all(rowsOf(sql, listed, viewer, withTotal(sql, sql`0`, sql`0`), orderOf(true))), pageOf)
}

/** A page of a list with large threads. */
const pageOfLarge = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>,
  standing: Standing
) {
  const { ignorePinned, page, viewer } = list
  const order = orderOf(ignorePinned)
  const placed = { conditions: [listedIn(sql, list, narrowed)], order, prefix: prefixOf(list) }
  const { ids, total } = yield* placedPage(sql, sizes, placed, { ...standing, page })
  if (ids.length === 0) return { total, threads: [] }
  const { tagsAndCategories, links, people } = standing
  const known = sql`select concat_ws('.', ${total}::int, ${people}::text, ${links}::text, ${tagsAndCategories}::text, 0) as totals`
  const threads = sql`select * from threads t where t.id = any(${ids}::text[]) and t.deleted_at is null`
  return pageOf(yield* all(rowsOf(sql, threads, viewer, known, order)))
})

const page = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, list: ThreadListFilter) {
  const filter = seenOf(list)
  const narrowed = narrowings(sql, filter)
  const facts = totals(sql, filter, narrowed)
  const listed = yield* readPage<Totals, ListedRow>(sql, {
    page: filter.page,
    pageSize,
    countsFirst: narrowed.length > 0,
    isPrepared: isUsual(filter, narrowed),
    facts,
    standingOf,
    rows: (span, known) => rows(sql, filter, narrowed, span, known ?? facts)
  })
  const standing = standingOf(listed[0])
  return standing.extra === 0 ? pageOf(listed) : yield* pageOfLarge(sql, filter, narrowed, standing)
})

type Standing = ReturnType<typeof standingOf>

const standingOf = (row: Totals | undefined) => {
  const [total = "0", people = "", links = "", tagsAndCategories = "", extra = "0"] =
    row?.totals.split(".") ?? []
  return { total: Number(total), people, links, tagsAndCategories, extra: Number(extra) }
}

const pageOf = (rows: ReadonlyArray<Row>): ThreadListPage => {
  const { tagsAndCategories, links, people, total } = standingOf(rows[0])
  const versions = `.${people}.${links}.${tagsAndCategories}`
  return {
    total,
    threads: rowsIn<Totals, ListedRow>(rows).map((row) =>
      summaryOf(row, {
        version: row.version + versions,
        peopleVersion: people,
        tagsAndCategoriesVersion: tagsAndCategories
      })
    )
  }
}

export const makeThreadList = Effect.gen(function* () {
  const quick = yield* QuickReads
  const slow = yield* SlowReads

  return {
    list: (filter: ThreadListFilter): Effect.Effect<ThreadListPage, SearchTookTooLong> =>
      filter.text === undefined ? page(quick, filter) : withinSearchTime(page(slow, filter)),
    findHeads: (ids: ReadonlyArray<PostId>, viewer: AccountId | undefined) =>
      ids.length === 0 ? Effect.succeed([]) : Effect.map(byIds(quick, ids, viewer), ({ threads }) => threads)
  } as const
})
