/** Lists of threads: which threads and in which order; what they show is read by their ids. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { AccountId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { ThreadHead } from "../../domain/thread/ThreadHead.ts"
import { pageSize, type ThreadListFilter, type ThreadListPage } from "../../domain/thread/ThreadStore.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { all, first } from "../shared/Query.ts"
import { passing } from "../shared/VisibilitySql.ts"
import { makeListStates } from "./ListStatesSql.ts"

export interface ListRow {
  readonly id: PostId
  readonly author_id: AccountId
  readonly visibility: Visibility
  readonly version: string
  readonly reply_count: number
  readonly replies_made: number
  readonly last_reply_at: Date | null
}

interface Totals {
  readonly total: number
  readonly people_version: string
  /** Of all that listed threads show beside themselves. */
  readonly version: string
}

const isUnpublished = (visibility: Visibility) => visibility !== "published"

/** A `like` pattern that finds the text as it is written. */
const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`

/** Everything that narrows a list but the visibility. */
const narrowings = (sql: SqlClient.SqlClient, filter: ThreadListFilter): Array<Statement.Fragment> => {
  const { author, categories, tags, text } = filter
  const pattern = text === undefined ? "" : containing(text)
  return [
    ...(author === undefined ? [] : [sql`t.author_id = ${author}`]),
    ...(categories === null ? [sql`t.category_id is null`] : []),
    ...(categories !== null && categories.length > 0
      ? [sql`t.category_id in (select id from categories where slug = any(${categories}::text[]))`]
      : []),
    ...(tags.length === 0
      ? []
      : [sql`t.id in (select thread_id from thread_tags where tag_id = any(${tags}::text[]))`]),
    ...(text === undefined
      ? []
      : [
          // The first condition has an index; alone it would find text across the ends of the three.
          sql`t.id in (select id from posts
            where id = thread_id and (title || ' ' || slug || ' ' || body) ilike ${pattern}
              and (title ilike ${pattern} or slug ilike ${pattern} or body ilike ${pattern}))`
        ])
  ]
}

/** Published threads are counted as they come and go; only what else the viewer sees is counted here. */
const totalOf = (
  sql: SqlClient.SqlClient,
  { filter, viewer }: ThreadListFilter,
  narrowed: ReadonlyArray<Statement.Fragment>
): Statement.Fragment => {
  const { others, own } = filter
  const isCounted = narrowed.length === 0 && others.includes("published") && own.includes("published")
  if (!isCounted) {
    const conditions = [sql`t.deleted_at is null`, passing(sql, "t", filter, viewer), ...narrowed]
    return sql`(select count(*)::int from threads t where ${sql.and(conditions)})`
  }
  const unpublished = { others: others.filter(isUnpublished), own: own.filter(isUnpublished) }
  const isListed =
    unpublished.others.length > 0
      ? passing(sql, "t", unpublished, viewer)
      : sql`t.author_id = ${viewer ?? null} and t.visibility = any(${unpublished.own}::text[])`
  return sql`((select sum(published)::int from thread_totals) + (select count(*)::int from threads t
    where t.deleted_at is null and t.visibility <> 'published' and ${isListed}))`
}

// Up to here the pages of a list are read from its start without asking how long it is.
const fewPages = 20

/** Which rows make a page, counted from the nearer end of a list of `total`. */
const spanOf = (page: number, total: number) => {
  const offset = (page - 1) * pageSize
  const size = Math.max(0, Math.min(pageSize, total - offset))
  const after = Math.max(0, total - offset - size)
  return offset <= after ? { backwards: false, offset, size } : { backwards: true, offset: after, size }
}

const order = (ignorePinned: boolean, backwards: boolean) => {
  const direction = backwards ? "" : " desc"
  const pinned = ignorePinned ? "" : `t.pinned${direction}, `
  return `${pinned}t.active_at${direction}, t.id${direction}`
}

const makeReading = (sql: SqlClient.SqlClient) => {
  const totals = (filter: ThreadListFilter, narrowed: ReadonlyArray<Statement.Fragment>) =>
    Effect.map(
      first(sql<Totals>`select ${totalOf(sql, filter, narrowed)} as total, sum(people)::text as people_version,
        concat_ws('.', sum(people), sum(links), sum(catalogue)) as version from change_stamps`),
      (row) => row ?? { total: 0, people_version: "", version: "" }
    )

  const rows = (
    { filter, ignorePinned, viewer }: ThreadListFilter,
    narrowed: ReadonlyArray<Statement.Fragment>,
    { backwards, offset, size }: ReturnType<typeof spanOf>
  ) => {
    if (size === 0) return Effect.succeed([])
    const conditions = [sql`t.deleted_at is null`, passing(sql, "t", filter, viewer), ...narrowed]
    // A constant limit, and no offset where there is none, let the planner know how few rows are read.
    const statement = sql<ListRow>`select t.id, t.author_id, t.visibility, t.version::text,
        t.reply_count, t.replies_made, t.last_reply_at
      from threads t where ${sql.and(conditions)}
      order by ${sql.literal(order(ignorePinned, backwards))}
      ${offset === 0 ? sql.literal("") : sql`offset ${offset}::bigint`} limit ${sql.literal(String(pageSize))}`
    return Effect.map(all(statement), (rows) => {
      const page = rows.slice(0, size)
      return backwards ? page.toReversed() : page
    })
  }

  return Effect.fnUntraced(function* (filter: ThreadListFilter) {
    const narrowed = narrowings(sql, filter)
    if (filter.page <= fewPages && narrowed.length === 0) {
      const whole = { backwards: false, offset: (filter.page - 1) * pageSize, size: pageSize }
      const [found, listed] = yield* Effect.all([totals(filter, narrowed), rows(filter, narrowed, whole)], {
        concurrency: "unbounded"
      })
      return { ...found, rows: listed }
    }
    const found = yield* totals(filter, narrowed)
    return { ...found, rows: yield* rows(filter, narrowed, spanOf(filter.page, found.total)) }
  })
}

export const makeThreadList = Effect.gen(function* () {
  const quick = makeReading(yield* QuickReads)
  const slow = makeReading(yield* SlowReads)
  const states = yield* makeListStates

  return Effect.fnUntraced(function* (filter: ThreadListFilter) {
    const found = yield* filter.text === undefined ? quick(filter) : slow(filter)
    const { people_version: peopleVersion, rows, total, version } = found
    const stateOf = yield* states(filter.viewer, rows)
    const threads = rows.map((row): ThreadHead => {
      const { isLiked, state } = stateOf(row.id)
      return {
        id: row.id,
        authorId: row.author_id,
        visibility: row.visibility,
        version: `${row.version}.${version}`,
        peopleVersion,
        counts: { replies: row.reply_count, made: row.replies_made },
        state,
        hasLikes: isLiked
      }
    })
    return { total, threads } satisfies ThreadListPage
  })
})
