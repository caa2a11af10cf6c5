/** The rows of lists of threads: which there are, in which order, and what is read of each. */
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId } from "../../domain/shared/Id.ts"
import type { ThreadListFilter } from "../../domain/thread/ThreadStore.ts"
import { type ListedSummary, pageSize } from "../../domain/thread/ThreadSummary.ts"
import { isInCollection } from "../collection/MembershipSql.ts"
import { extraPlaces, type RowSizes } from "../shared/LargeRows.ts"
import { type Listed, rowsIn } from "../shared/PagedList.ts"
import { orderText, type RowOrder } from "../shared/RowOrder.ts"
import { isSeen, totalOf } from "./ThreadListConditions.ts"
import { type SummaryRow, summaryOf, threadColumns, viewerColumns } from "./ThreadSummarySql.ts"

export interface Totals {
  /**
   * How many threads there are, the versions of all people, of all links, and of tags and categories, which listed
   * threads show, how many places large threads take beyond one each, and what the statement that read the threads saw
   * of other transactions. All are one column, with dots between, because rows must not have many (see `SummaryRow`).
   */
  readonly totals: string
}

export interface ListedRow extends SummaryRow {
  readonly version: string
  readonly active_at: Date
}

/** The totals, with a listed thread or nothing. */
export type Row = Listed<Totals, ListedRow>

// As in the index of large threads.
export const sizes: RowSizes = {
  table: "threads t",
  id: "t.id",
  size: "t.opening_weight + 200 * cardinality(t.tag_ids)",
  pageSize
}

export const orderOf = (ignorePinned: boolean): RowOrder => [
  ...(ignorePinned ? [] : [["t.pinned", "desc", "integer"] as const]),
  ["t.active_at", "desc", "timestamptz"],
  ["t.id", "desc", "text"]
]

/**
 * The column that the order of threads without a category names first, as PostgreSQL would otherwise not see that their
 * index has this order.
 */
export const prefixOf = ({ categories }: ThreadListFilter): RowOrder =>
  categories === null ? [["t.category_id", "asc", "text"]] : []

export const withTotal = (sql: SqlClient.SqlClient, total: Statement.Fragment, extra: Statement.Fragment) =>
  sql<Totals>`select concat_ws('.', ${total}, sum(people), sum(links), sum(tags_and_categories), ${extra}) as totals
    from change_versions`

export const listedIn = (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>
) => sql.and([sql`t.deleted_at is null`, isSeen(sql, list, list.filter), ...narrowed])

export const totals = (
  sql: SqlClient.SqlClient,
  filter: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>
) =>
  withTotal(sql, totalOf(sql, filter, narrowed), extraPlaces(sql, sizes, [listedIn(sql, filter, narrowed)]))

export interface Reading {
  /** Table expressions that `listed` names, each with a comma after it. */
  readonly given?: Statement.Fragment
  /** A query for the rows of `threads`, with what `columns` and `order` name. */
  readonly listed: Statement.Fragment
  readonly viewer: AccountId | undefined
  /** A query for the totals. */
  readonly found: Statement.Fragment
  readonly order: RowOrder
  /** Columns beside those of a `ListedRow`. */
  readonly columns?: string
}

export const rowsOf = <More = unknown>(
  sql: SqlClient.SqlClient,
  { columns = "", found, given = sql.literal(""), listed, order, viewer }: Reading
) => {
  // The viewer's rows are looked up by all ids at once, which takes one descent of the index where they are close.
  const ofViewer = sql`account_id = ${viewer ?? null} and`
  const amongListed = sql`= any((select ids from listed)::text[])`
  const inOwn = sql`owner_id = ${viewer ?? null} and ${sql.literal(isInCollection)}`
  return sql<Row & More>`with ${given} page as materialized (${listed}),
      listed as materialized (
        select array_agg(id) as ids, array_agg(id) filter (where in_collections > 0) as collected from page)
    select found.*, ${sql.literal(threadColumns)}, t.active_at, t.version::text, ${sql.literal(viewerColumns)},
      liked.post_id is not null or null as has_likes, collected.post_id is not null or null as has_collected
      ${sql.literal(columns)}
    from (select totals || '.' || pg_current_snapshot()::text as totals from (${found}) counted offset 0) found
    left join page t on true
    left join (select * from read_marks where ${ofViewer} thread_id ${amongListed}) mark on mark.thread_id = t.id
    left join (select * from thread_participants where ${ofViewer} thread_id ${amongListed}) mine
      on mine.thread_id = t.id
    left join (select * from likes where ${ofViewer} post_id ${amongListed}) liked on liked.post_id = t.id
    left join (select distinct post_id from collection_items where ${inOwn} and post_id
      = any((select collected from listed)::text[])) collected on collected.post_id = t.id
    order by ${sql.literal(orderText(order, false))}`
}

export type Standing = ReturnType<typeof standingOf>

export const standingOf = (row: Totals | undefined) => {
  const [total = "0", people = "", links = "", tagsAndCategories = "", extra = "0", snapshot = ""] =
    row?.totals.split(".") ?? []
  return { total: Number(total), people, links, tagsAndCategories, extra: Number(extra), snapshot }
}

// A thread is last active when its newest published reply is published, or else when it is made.
const lastReplyOf = ({ active_at, reply_count, unpublished_replies }: ListedRow) =>
  reply_count > (unpublished_replies ?? 0) ? active_at : undefined

export const threadsIn = (rows: ReadonlyArray<Row>): ReadonlyArray<ListedSummary> => {
  const { tagsAndCategories, links, people } = standingOf(rows[0])
  const versions = `.${people}.${links}.${tagsAndCategories}`
  return rowsIn<Totals, ListedRow>(rows).map((row) =>
    summaryOf(row, lastReplyOf(row), {
      version: row.version + versions,
      peopleVersion: people,
      tagsAndCategoriesVersion: tagsAndCategories
    })
  )
}
