/** Lists of threads: which threads and in which order; what they show is read by their ids. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { pageSize } from "../../domain/thread/PageBudget.ts"
import type { SearchTookTooLong } from "../../domain/thread/Thread.ts"
import type { ThreadListFilter, ThreadListPage } from "../../domain/thread/ThreadStore.ts"
import { isInCollection } from "../collection/MembershipSql.ts"
import { containing } from "../search/Patterns.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, first, isOneOf } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { passing } from "../shared/VisibilitySql.ts"
import { type HeadRow, headOf, threadColumns, viewerColumns } from "./ThreadHeadSql.ts"

interface Totals {
  /**
   * How many threads there are, and versions of all that listed threads show beside themselves: of people, links
   * and the catalogue. With dots between, as a single column, because rows must not have many (see `HeadRow`).
   */
  readonly totals: string
}

interface ListedRow extends HeadRow {
  readonly version: string
}

/** The totals, with a listed thread or nothing. */
type Row = Totals & (ListedRow | { readonly id: null })

const hasThread = (row: Row): row is Totals & ListedRow => row.id !== null

const isUnpublished = (visibility: Visibility) => visibility !== "published"

/** The condition on a thread's category, unless it may be any. A single one is compared by `=`, which an index orders. */
const inCategories = (
  sql: SqlClient.SqlClient,
  categories: ThreadListFilter["categories"]
): Array<Statement.Fragment> => {
  if (categories === null) return [sql`t.category_id is null`]
  if (categories.length === 0) return []
  return categories.length === 1
    ? [sql`t.category_id = (select id from categories where slug = ${categories[0]})`]
    : [sql`t.category_id in (select id from categories where slug = any(${categories}::text[]))`]
}

/** How many threads an author has published in these categories: numbers that are kept, as they may be very many. */
const publishedBy = (
  sql: SqlClient.SqlClient,
  author: AccountId,
  categories: ThreadListFilter["categories"]
): Statement.Fragment =>
  sql`(select coalesce(sum(published), 0)::int from author_totals t
    where ${sql.and([sql`t.author_id = ${author}`, ...inCategories(sql, categories)])})`

/** How many published threads there are in these categories: numbers that are kept likewise. */
const publishedIn = (
  sql: SqlClient.SqlClient,
  categories: ThreadListFilter["categories"]
): Statement.Fragment => {
  if (categories === null) {
    return sql`(select sum(published)::int from thread_totals)
      - (select coalesce(sum(post_count), 0)::int from categories)`
  }
  return categories.length === 0
    ? sql`(select sum(published)::int from thread_totals)`
    : sql`(select coalesce(sum(post_count), 0)::int from categories where slug = any(${categories}::text[]))`
}

/** How many published threads carry one of these tags, which an index has. */
const publishedWith = (sql: SqlClient.SqlClient, tags: ThreadListFilter["tags"]): Statement.Fragment =>
  tags.length === 1
    ? sql`(select count(*)::int from thread_tags where tag_id = ${tags[0]} and listed)`
    : sql`(select count(distinct thread_id)::int from thread_tags where tag_id = any(${tags}::text[]) and listed)`

/** How many published threads a list has that is narrowed by nothing else than one of these; none for others. */
const publishedOf = (
  sql: SqlClient.SqlClient,
  { author, categories, tags, text }: ThreadListFilter
): Statement.Fragment | undefined => {
  if (text !== undefined) return undefined
  if (tags.length === 0) {
    return author === undefined ? publishedIn(sql, categories) : publishedBy(sql, author, categories)
  }
  return author === undefined && categories?.length === 0 ? publishedWith(sql, tags) : undefined
}

/** Threads of one author are all the viewer's own, or none is. */
const seenOf = (list: ThreadListFilter): ThreadListFilter => {
  if (list.author === undefined) return list
  const seen = list.author === list.viewer ? list.filter.own : list.filter.others
  return { ...list, filter: { others: seen, own: seen } }
}

/** Everything that narrows a list but the visibility. */
const narrowings = (sql: SqlClient.SqlClient, filter: ThreadListFilter): Array<Statement.Fragment> => {
  const { author, categories, tags, text } = filter
  return [
    ...(author === undefined ? [] : [sql`t.author_id = ${author}`]),
    ...inCategories(sql, categories),
    ...(tags.length === 0
      ? []
      : [sql`t.id in (select thread_id from thread_tags where tag_id = any(${tags}::text[]))`]),
    ...(text === undefined
      ? []
      : [
          sql`t.id in (select id from search_texts where kind = 'thread'
          and (title like ${containing(text)} or slug like ${containing(text)} or body like ${containing(text)}))`
        ])
  ]
}

/**
 * Published threads are counted as they come and go, all of them, in each category and of each author; only what else
 * the viewer sees is counted here.
 */
const totalOf = (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>
): Statement.Fragment => {
  const { filter, viewer } = list
  const { others, own } = filter
  const published =
    others.includes("published") && own.includes("published") ? publishedOf(sql, list) : undefined
  if (published === undefined) {
    const conditions = [sql`t.deleted_at is null`, passing(sql, "t", filter, viewer), ...narrowed]
    return sql`(select count(*)::int from threads t where ${sql.and(conditions)})`
  }
  const unpublished = { others: others.filter(isUnpublished), own: own.filter(isUnpublished) }
  const isListed =
    unpublished.others.length > 0
      ? passing(sql, "t", unpublished, viewer)
      : sql`t.author_id = ${viewer ?? null} and t.visibility = any(${unpublished.own}::text[])`
  const conditions = [sql`t.deleted_at is null`, sql`t.visibility <> 'published'`, isListed, ...narrowed]
  return sql`(${published} + (select count(*)::int from threads t where ${sql.and(conditions)}))`
}

/**
 * Lists that people often ask for. Only for these are statements kept prepared: there are hundreds of ways to
 * combine what narrows a list, with as many texts, and each takes memory in every connection.
 */
const isUsual = ({ categories, page, tags, text }: ThreadListFilter, narrowed: ReadonlyArray<unknown>) =>
  text === undefined &&
  tags.length < 2 &&
  (narrowed.length === 0 ||
    (page <= fewPages && narrowed.length === 1 && (categories === null || categories.length < 2)))

const order = (ignorePinned: boolean, backwards: boolean) => {
  const direction = backwards ? "" : " desc"
  const columns = [...(ignorePinned ? [] : ["pinned"]), "active_at", "id"]
  return columns.map((column) => `t.${column}${direction}`).join(", ")
}

/** The order of a list in its index, which is not seen to be in order for threads in no category otherwise. */
const indexOrder = ({ categories, ignorePinned }: ThreadListFilter, backwards: boolean) =>
  categories === null
    ? `t.category_id${backwards ? " desc" : ""}, ${order(ignorePinned, backwards)}`
    : order(ignorePinned, backwards)

const makeReading = (sql: SqlClient.SqlClient) => {
  const withTotal = (total: Statement.Fragment) =>
    sql<Totals>`select concat_ws('.', ${total}, sum(people), sum(links), sum(catalogue)) as totals from change_stamps`

  const totals = (filter: ThreadListFilter, narrowed: ReadonlyArray<Statement.Fragment>) =>
    withTotal(totalOf(sql, filter, narrowed))

  /** The totals on each row, and one row without a thread where there is none in the span. */
  const rows = (
    list: ThreadListFilter,
    narrowed: ReadonlyArray<Statement.Fragment>,
    { backwards, offset }: PageSpan,
    found: Statement.Fragment
  ) => {
    const { filter, ignorePinned, viewer } = list
    const conditions = [sql`t.deleted_at is null`, passing(sql, "t", filter, viewer), ...narrowed]
    const inOrder = sql`from threads t where ${sql.and(conditions)}
      order by ${sql.literal(indexOrder(list, backwards))}`
    // A constant limit, and no offset where there is none, let the planner know how few rows are read.
    const limit = sql.literal(`limit ${pageSize}`)
    // What is passed over is read from an index alone.
    const passesOver = offset > 0 || narrowed.length > 1
    const listed = passesOver
      ? sql`select t.* from threads t where t.id = any(array(
          select t.id ${inOrder} ${offset === 0 ? sql.literal("") : sql`offset ${offset}::bigint`} ${limit}))`
      : sql`select * ${inOrder} ${limit}`
    return rowsOf(listed, viewer, found, order(ignorePinned, false))
  }

  const rowsOf = (
    listed: Statement.Fragment,
    viewer: AccountId | undefined,
    found: Statement.Fragment,
    inOrder: string
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
      order by ${sql.literal(inOrder)}`
  }

  /** Undeleted threads by id, in no order. */
  const byIds = (ids: ReadonlyArray<PostId>, viewer: AccountId | undefined) => {
    const listed = sql`select * from threads t where ${isOneOf(sql, "t.id", ids)} and t.deleted_at is null`
    return Effect.map(all(rowsOf(listed, viewer, withTotal(sql`0`), "t.id")), pageOf)
  }

  const page = Effect.fnUntraced(function* (list: ThreadListFilter) {
    const filter = seenOf(list)
    const narrowed = narrowings(sql, filter)
    const found = totals(filter, narrowed)
    if (filter.page <= fewPages && narrowed.length === 0) {
      return pageOf(yield* all(rows(filter, narrowed, wholePage(filter.page, pageSize), found)))
    }
    const usual = isUsual(filter, narrowed)
    const counted = yield* first(usual ? found : found.unprepared)
    const { total } = standingOf(counted)
    const span = spanOf(filter.page, pageSize, total)
    if (counted === undefined || span.size === 0) return { total, threads: [] }
    const known = sql`select ${counted.totals}::text as totals`
    const listing = rows(filter, narrowed, span, known)
    const listed = yield* all(usual ? listing : listing.unprepared)
    // The page nearest to the end may be a short one, and whole ones are read.
    return pageOf(span.backwards ? listed.slice(-span.size) : listed.slice(0, span.size))
  })

  return { page, byIds } as const
}

const standingOf = (row: Totals | undefined) => {
  const [total = "0", people = "", links = "", catalogue = ""] = row?.totals.split(".") ?? []
  return { total: Number(total), people, links, catalogue }
}

const pageOf = (rows: ReadonlyArray<Row>): ThreadListPage => {
  const { catalogue, links, people, total } = standingOf(rows[0])
  const stamps = `.${people}.${links}.${catalogue}`
  return {
    total,
    threads: rows.filter(hasThread).map((row) =>
      headOf(row, {
        version: row.version + stamps,
        peopleVersion: people,
        catalogueVersion: catalogue
      })
    )
  }
}

export const makeThreadList = Effect.gen(function* () {
  const quick = makeReading(yield* QuickReads)
  const slow = makeReading(yield* SlowReads)

  return {
    list: (filter: ThreadListFilter): Effect.Effect<ThreadListPage, SearchTookTooLong> =>
      filter.text === undefined ? quick.page(filter) : withinSearchTime(slow.page(filter)),
    findHeads: (ids: ReadonlyArray<PostId>, viewer: AccountId | undefined) =>
      ids.length === 0 ? Effect.succeed([]) : Effect.map(quick.byIds(ids, viewer), ({ threads }) => threads)
  } as const
})
