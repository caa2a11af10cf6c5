/** Lists of threads: which threads and in which order; what they show is read by their ids. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { SearchTookTooLong } from "../../domain/text/SearchTookTooLong.ts"
import { pageSize } from "../../domain/thread/PageBudget.ts"
import type { ThreadListFilter, ThreadListPage } from "../../domain/thread/ThreadStore.ts"
import { isInCollection } from "../collection/MembershipSql.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { lightMax, placesBefore, placesOf } from "../shared/Places.ts"
import { all, first, isOneOf } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { type HeadRow, headOf, threadColumns, viewerColumns } from "./ThreadHeadSql.ts"
import { isSeen, narrowings, seenOf, totalOf } from "./ThreadListConditions.ts"

interface Totals {
  /**
   * How many threads there are, versions of all that listed threads show beside themselves: of people, links
   * and the catalogue, and how many places large threads take beyond one each. With dots between, as a single
   * column, because rows must not have many (see `HeadRow`).
   */
  readonly totals: string
}

interface ListedRow extends HeadRow {
  readonly version: string
}

/** A thread on its page, or nothing, and how many places the list has. */
interface PlacedRow {
  readonly id: PostId | null
  readonly total: number
}

// As in the index of large threads.
const size = "t.opening_weight + 200 * cardinality(t.tag_ids)"
const isLarge = `${size} > ${lightMax(pageSize)}`
const places = placesOf(size, pageSize)

/** The totals, with a listed thread or nothing. */
type Row = Totals & (ListedRow | { readonly id: null })

const hasThread = (row: Row): row is Totals & ListedRow => row.id !== null

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
  const withTotal = (total: Statement.Fragment, extra: Statement.Fragment) =>
    sql<Totals>`select concat_ws('.', ${total}, sum(people), sum(links), sum(catalogue), ${extra}) as totals
      from change_stamps`

  const listedIn = (list: ThreadListFilter, narrowed: ReadonlyArray<Statement.Fragment>) =>
    sql.and([sql`t.deleted_at is null`, isSeen(sql, list, list.filter), ...narrowed])

  /** The places that large threads of a list take beyond one each; an index has the few that are large. */
  const extraOf = (listed: Statement.Fragment) =>
    sql`(select coalesce(sum(${sql.literal(places)} - 1), 0) from threads t
      where ${sql.literal(isLarge)} and ${listed})`

  const totals = (filter: ThreadListFilter, narrowed: ReadonlyArray<Statement.Fragment>) =>
    withTotal(totalOf(sql, filter, narrowed), extraOf(listedIn(filter, narrowed)))

  /** The totals on each row, and one row without a thread where there is none in the span. */
  const rows = (
    list: ThreadListFilter,
    narrowed: ReadonlyArray<Statement.Fragment>,
    { backwards, offset }: PageSpan,
    found: Statement.Fragment
  ) => {
    const { ignorePinned, viewer } = list
    const inOrder = sql`from threads t where ${listedIn(list, narrowed)}
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
    return Effect.map(all(rowsOf(listed, viewer, withTotal(sql`0`, sql`0`), "t.id")), pageOf)
  }

  /**
   * A page of a list with large threads. So many rows as large ones take places beyond one may be passed over in vain;
   * from there on, the first place of each is counted.
   */
  const pageOfLarge = Effect.fnUntraced(function* (
    list: ThreadListFilter,
    narrowed: ReadonlyArray<Statement.Fragment>,
    standing: Standing
  ) {
    const { ignorePinned, page, viewer } = list
    const first = (page - 1) * pageSize
    const passed = Math.max(0, first - standing.extra)
    const listed = listedIn(list, narrowed)
    const inOrder = sql.literal(`order by ${indexOrder(list, false)}`)
    const key = sql.literal(ignorePinned ? "(t.active_at, t.id)" : "(t.pinned, t.active_at, t.id)")
    const edgeKey = sql.literal(
      ignorePinned ? "(edge.active_at, edge.id)" : "(edge.pinned, edge.active_at, edge.id)"
    )
    const found = yield* all(
      sql<PlacedRow>`with edge as materialized (
          select t.pinned, t.active_at, t.id from threads t where ${listed} ${inOrder}
          offset ${passed}::bigint limit 1
        ), placed as materialized (
          select t.id, ${sql.literal(placesBefore("t.places", order(ignorePinned, false)))} as before from (
            select t.id, t.pinned, t.active_at, ${sql.literal(places)} as places
            from edge cross join lateral (
              select * from threads t where ${listed} and ${key} <= ${edgeKey} ${inOrder}
              limit ${standing.extra + pageSize}::bigint
            ) t
          ) t
        )
        select placed.id, placed.before + ${passed}::int + before_edge.extra as before, last.total
        from (
          select coalesce(sum(${sql.literal(places)} - 1), 0)::int as extra from edge join threads t
            on ${sql.literal(isLarge)} and ${listed} and ${key} > ${edgeKey}
        ) before_edge
        cross join (select ${standing.total + standing.extra + 1} - coalesce((
          select ${sql.literal(places)} from threads t where ${listed}
          order by ${sql.literal(indexOrder(list, true))} limit 1), 1)::int as total) last
        left join placed on placed.before + ${passed}::int + before_edge.extra >= ${first}
          and placed.before + ${passed}::int + before_edge.extra < ${first + pageSize}`.unprepared
    )
    const total = found[0]?.total ?? 0
    const ids = found.flatMap(({ id }) => id ?? [])
    if (ids.length === 0) return { total, threads: [] }
    const { catalogue, links, people } = standing
    const known = sql`select concat_ws('.', ${total}::int, ${people}::text, ${links}::text, ${catalogue}::text, 0) as totals`
    const threads = sql`select * from threads t where t.id = any(${ids}::text[]) and t.deleted_at is null`
    return pageOf(yield* all(rowsOf(threads, viewer, known, order(ignorePinned, false))))
  })

  const page = Effect.fnUntraced(function* (list: ThreadListFilter) {
    const filter = seenOf(list)
    const narrowed = narrowings(sql, filter)
    const found = totals(filter, narrowed)
    if (filter.page <= fewPages && narrowed.length === 0) {
      const listed = yield* all(rows(filter, narrowed, wholePage(filter.page, pageSize), found))
      const standing = standingOf(listed[0])
      return standing.extra === 0 ? pageOf(listed) : yield* pageOfLarge(filter, narrowed, standing)
    }
    const usual = isUsual(filter, narrowed)
    const counted = yield* first(usual ? found : found.unprepared)
    const standing = standingOf(counted)
    if (standing.extra > 0) return yield* pageOfLarge(filter, narrowed, standing)
    const { total } = standing
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

type Standing = ReturnType<typeof standingOf>

const standingOf = (row: Totals | undefined) => {
  const [total = "0", people = "", links = "", catalogue = "", extra = "0"] = row?.totals.split(".") ?? []
  return { total: Number(total), people, links, catalogue, extra: Number(extra) }
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
