/**
 * Walks through lists of threads. Threads move while somebody walks: to the front when they are replied to or pinned,
 * and back when a reply is taken away. So a walk goes through the list as it was when the first page was read: a
 * thread that has moved since is where it was. The cursor says what that page saw of other transactions, so that the
 * order in which they end does not matter; most threads have not moved, and are read by an index.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { placesOf } from "../../domain/answer/AnswerRoom.ts"
import { type RowKey, refuseCursor } from "../../domain/shared/ListPlace.ts"
import type { ThreadListFilter, ThreadListPage } from "../../domain/thread/ThreadStore.ts"
import { pageSize, tagSize } from "../../domain/thread/ThreadSummary.ts"
import { placedPage } from "../shared/LargeRows.ts"
import { rowsIn } from "../shared/PagedList.ts"
import { all } from "../shared/Query.ts"
import { isAfter, isKeyOf, keyOf, orderText, type RowOrder } from "../shared/RowOrder.ts"
import { tookTooLong } from "../shared/Searching.ts"
import { narrowings, threadsWith } from "./ThreadListConditions.ts"
import {
  type ListedRow,
  listedIn,
  orderOf,
  prefixOf,
  rowsOf,
  type Standing,
  sizes,
  standingOf,
  type Totals,
  threadsIn,
  totals
} from "./ThreadListRows.ts"

/** A walk that goes on. */
export interface Walk {
  /** The last thread that was shown, where it was when the walk began. */
  readonly key: RowKey
  /** Long enough before the walk began that all that was written until then was seen. */
  readonly since: string
  /** Which transactions its first page saw, as PostgreSQL writes it. */
  readonly snapshot: string
}

const minute = 60_000

// Twice the time that a request has.
const unsure = minute

/** After this time since a walk began, so many threads may have moved that its pages are no quick reads. */
const quickFor = 10 * minute

/** How many threads may have moved since a walk began, as each page looks all of their places up. */
export const movedMax = 10_000

/** An instant with microseconds, as keys have it. */
const instant = (millis: number) => new Date(millis).toISOString().replace("Z", "000Z")

/** The key of a thread on a page that was read at `now`, with which a walk begins. */
export const keyOfRow = (
  ignorePinned: boolean,
  { active_at, id, pinned }: ListedRow,
  snapshot: string,
  now: number
): RowKey => [
  ...(ignorePinned ? [] : [String(pinned ?? 0)]),
  instant(active_at.getTime()),
  id,
  instant(now - unsure),
  snapshot
]

const transactionMax = 2n ** 63n

/** Whether PostgreSQL can read a text as a snapshot: the first and the last transaction, and those between that it lacks. */
export const isSnapshot = (text: string): boolean => {
  const [, first, last, between] = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19},)*\d{1,19})?$/.exec(text) ?? []
  if (first === undefined || last === undefined) return false
  const [low, high] = [BigInt(first), BigInt(last)]
  const lacking = between === undefined ? [] : between.split(",").map(BigInt)
  return (
    low > 0n &&
    low <= high &&
    high < transactionMax &&
    lacking.every((one, place) => one >= low && one < high && one >= (lacking[place - 1] ?? 0n))
  )
}

const beginning: RowOrder = [
  ["since", "asc", "timestamptz"],
  ["snapshot", "asc", "text"]
]

/** The walk that a list is asked to go on with, if it is; what cannot be one is refused. */
export const walkIn = ({ ignorePinned, place }: ThreadListFilter): Effect.Effect<Walk | undefined> => {
  const { after } = place
  if (after === undefined) return Effect.undefined
  const [since = "", snapshot = ""] = after.slice(-beginning.length)
  return isKeyOf([...orderOf(ignorePinned), ...beginning], after) && isSnapshot(snapshot)
    ? Effect.succeed({ key: after.slice(0, -beginning.length), since, snapshot })
    : refuseCursor(place)
}

export const isLongAgo = ({ since }: Walk, now: number): boolean =>
  Date.parse(since) < now - unsure - quickFor

interface Walked {
  readonly key: RowKey | null
  /** How many threads have moved since the walk began, up to one more than `movedMax`. */
  readonly moved: number
}

/**
 * Where threads were when a walk began, as far as they have moved since: by the replies that were published then,
 * whatever has become of them, and by how they were pinned.
 */
const movedThreads = (
  sql: SqlClient.SqlClient,
  isListed: Statement.Fragment,
  { since, snapshot }: Pick<Walk, "since" | "snapshot">
) => {
  const begun = sql`${since}::text::timestamptz`
  const seen = sql`${snapshot}::text::pg_snapshot`
  const atMost = sql.literal(`limit ${movedMax + 1}`)
  /** Whether a change at a time by a transaction was seen. What is older was, also where transactions were counted anew. */
  const wasSeen = (at: string, by: string) =>
    sql`(${sql.literal(at)} <= ${begun} or pg_visible_in_snapshot(${sql.literal(by)}, ${seen}))`
  const published = sql`p.deleted_at is null and p.visibility = 'published'`
  return sql`noted as materialized (
      select id, thread_id, pinned, active_at, shown_in from thread_moves
        where moved_in >= pg_snapshot_xmin(${seen}) and moved_in < pg_snapshot_xmax(pg_current_snapshot())
          and not pg_visible_in_snapshot(moved_in, ${seen}) ${atMost}
    ), active as materialized (
      select t.id from threads t where ${isListed} and t.active_at > ${begun} ${atMost}
    ), counted as materialized (
      select greatest((select count(*) from noted), (select count(*) from active))::int as moved
    ), placed as materialized (
      select t.id,
        coalesce((select n.pinned from noted n where n.thread_id = t.id and n.pinned is not null
          order by n.id limit 1), t.pinned) as pinned,
        greatest(t.created_at,
          (select p.created_at from posts p where p.thread_id = t.id and p.id <> p.thread_id and ${published}
            and p.publication is null and p.created_at < ${begun} + interval '${sql.literal(String((2 * unsure) / minute))} minutes'
            and ${wasSeen("p.created_at", "p.shown_in")} order by p.created_at desc, p.id desc limit 1),
          (select p.published_at from posts p where p.thread_id = t.id and p.publication is not null and ${published}
            and ${wasSeen("p.published_at", "p.shown_in")} order by p.publication desc limit 1),
          (select max(n.active_at) from noted n where n.thread_id = t.id and ${wasSeen("n.active_at", "n.shown_in")})
        )::timestamptz(3) as active_at
      from threads t where (select moved from counted) <= ${sql.literal(String(movedMax))}
        and t.id in (select id from active union select thread_id from noted) and ${isListed}
    ),`
}

/** The keys of the threads that follow in a walk. */
const followingThreads = (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  isListed: Statement.Fragment,
  { key, since }: Walk
) => {
  const order = orderOf(list.ignorePinned)
  const columns = sql.literal("t.id, t.pinned, t.active_at")
  const first = (prefix: RowOrder) =>
    sql.literal(`order by ${orderText([...prefix, ...order], false)} limit ${pageSize + 1}`)
  const isNext = isAfter(sql, order, key)
  return sql`following as materialized (
      select ${columns} from (
        (select ${columns} from threads t where ${isListed} and t.active_at <= ${since}::text::timestamptz and ${isNext}
          and t.id <> all(array(select thread_id from noted)) ${first(prefixOf(list))})
        union all (select ${columns} from placed t where ${isNext} ${first([])})
      ) t ${first([])}
    ),`
}

const inWalk = (order: RowOrder): RowOrder =>
  order.map(([column, ...rest]) => [column.replace("t.", "t.walked_"), ...rest] as const)

/** The first rows that have places on a page, and one at least. */
const fitting = <R extends ListedRow>(rows: ReadonlyArray<R>): ReadonlyArray<R> => {
  let places = 0
  const end = rows.findIndex(({ opening_weight, tag_ids }) => {
    if (places >= pageSize) return true
    places += placesOf(opening_weight + tagSize * tag_ids.length, pageSize)
    return false
  })
  return end < 0 ? rows : rows.slice(0, end)
}

/** How many places a list with large threads has, which its other pages say. */
const placesIn = (sql: SqlClient.SqlClient, list: ThreadListFilter, standing: Standing) => {
  const placed = {
    conditions: [listedIn(sql, list, narrowings(sql, list))],
    order: orderOf(list.ignorePinned),
    prefix: prefixOf(list)
  }
  return Effect.map(placedPage(sql, sizes, placed, { ...standing, page: 1 }), ({ total }) => total)
}

/** The page that follows in a walk. */
export const walkedPage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  list: ThreadListFilter,
  walk: Walk
) {
  const { text } = list
  // What is read several times is looked for once.
  const found = text === undefined ? sql`` : sql`matching as materialized (${threadsWith(sql, text)}),`
  const narrowed = [
    ...narrowings(sql, { ...list, text: undefined }),
    ...(text === undefined ? [] : [sql`t.id in (select id from matching)`])
  ]
  const isListed = listedIn(sql, list, narrowed)
  const order = inWalk(orderOf(list.ignorePinned))
  // Planned for each page, as it depends on when the walk began how many threads may have moved.
  const rows = yield* all(
    rowsOf<Walked>(sql, {
      given: sql`${found} ${movedThreads(sql, isListed, walk)} ${followingThreads(sql, list, isListed, walk)}`,
      listed: sql`select t.*, f.pinned as walked_pinned, f.active_at as walked_active_at, f.id as walked_id
        from following f join threads t on t.id = f.id`,
      viewer: list.viewer,
      found: totals(sql, list, narrowed),
      order,
      columns: `, ${keyOf(order)} as key, (select moved from counted) as moved`
    }).unprepared
  )
  const standing = standingOf(rows[0])
  if ((rows[0]?.moved ?? 0) > movedMax) return yield* tookTooLong
  const following = rowsIn<Totals & Walked, ListedRow>(rows)
  const shown = fitting(following)
  const last = shown.at(-1)?.key
  return {
    total: standing.extra === 0 ? standing.total : yield* placesIn(sql, list, standing),
    threads: threadsIn(shown),
    next: shown.length < following.length && last ? [...last, walk.since, walk.snapshot] : undefined
  } satisfies ThreadListPage
})
