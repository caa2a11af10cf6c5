/** One statement for a page of threads, at the same cost from either end of the list. */
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { accountIdOf } from "../../domain/shared/Actor.ts"
import { pageSize, type ThreadFilter } from "../../domain/thread/ThreadStore.ts"
import { roleCatalogue } from "../role/RoleRows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type ThreadRow, threadColumns, threadJoins, threadOf } from "./ThreadRows.ts"

type ListRow = { readonly total: number } & { readonly [K in keyof ThreadRow]: ThreadRow[K] | null }

const hasThread = (row: ListRow): row is ListRow & ThreadRow => row.id !== null

/** A `like` pattern that finds the text as it is written. */
const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`

export const makeThreadList = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal(threadColumns)
  const joins = sql.literal(threadJoins)
  const catalogue = sql.literal(roleCatalogue)

  const visible = ({ listing, viewer }: ThreadFilter): Statement.Fragment =>
    sql.or([
      listing.anyones.length === 0 ? sql`false` : sql.in("t.visibility", listing.anyones),
      listing.own.length === 0
        ? sql`false`
        : sql.and([sql`t.author_id = ${accountIdOf(viewer) ?? null}`, sql.in("t.visibility", listing.own)])
    ])

  const narrowed = (filter: ThreadFilter): Array<Statement.Fragment> => [
    ...(filter.authorId === undefined ? [] : [sql`t.author_id = ${filter.authorId}`]),
    ...(filter.categories === null ? [sql`t.category_id is null`] : []),
    ...(filter.categories !== null && filter.categories.length > 0
      ? [sql`t.category_id in (select id from categories where ${sql.in("slug", filter.categories)})`]
      : []),
    ...(filter.tags.length === 0
      ? []
      : [sql`t.id in (select thread_id from thread_tags where ${sql.in("tag_id", filter.tags)})`]),
    ...(filter.text === undefined
      ? []
      : [
          sql`t.id in (select id from posts where id = thread_id
            and (title || ' ' || slug || ' ' || body) ilike ${containing(filter.text)})`
        ])
  ]

  /** Published threads are counted as they come and go; only what else the caller sees is counted here. */
  const total = (filter: ThreadFilter, conditions: ReadonlyArray<Statement.Fragment>): Statement.Fragment => {
    const { anyones, own } = filter.listing
    const counted = conditions.length === 0 && anyones.includes("published")
    if (!counted)
      return sql`(select count(*)::int from threads t where ${sql.and([sql`t.deleted_at is null`, visible(filter), ...conditions])})`
    const others = anyones.filter((visibility) => visibility !== "published")
    return sql`((select sum(published)::int from thread_totals) + (
      select count(*)::int from threads t where t.deleted_at is null and t.visibility <> 'published'
        and ${visible({ ...filter, listing: { anyones: others, own } })}))`
  }

  return (filter: ThreadFilter) => {
    const viewerId = accountIdOf(filter.viewer) ?? null
    const conditions = narrowed(filter)
    const where = sql.and([sql`t.deleted_at is null`, visible(filter), ...conditions])
    const offset = (filter.page - 1) * pageSize
    const pinned = filter.ignorePinned ? sql.literal("") : sql.literal("t.pinned desc,")
    const pinnedBackwards = filter.ignorePinned ? sql.literal("") : sql.literal("t.pinned,")

    return sql<ListRow>`
      with viewer as (select ${viewerId}::text as id),
      count as materialized (select ${total(filter, conditions)} as total),
      -- Counted from whichever end of the list is nearer.
      span as (
        select greatest(0, least(${pageSize}, total - ${offset}::bigint)) as size,
          greatest(0, total - ${offset}::bigint - ${pageSize}) as after,
          ${offset}::bigint * 2 > total as backwards
        from count
      ),
      page as (
        (select t.id from threads t where ${where}
          order by ${pinned} t.active_at desc, t.id desc
          offset ${offset}::bigint limit coalesce((select size from span where not backwards), 0))
        union all
        (select t.id from threads t where ${where}
          order by ${pinnedBackwards} t.active_at, t.id
          offset coalesce((select after from span), 0)
          limit coalesce((select size from span where backwards), 0))
      ),
      listed as (
        select row_number() over (order by ${pinned} t.active_at desc, t.id desc) as place, ${columns}
        from page cross join viewer
        join threads t on t.id = page.id
        ${joins}
      )
      select count.total, case when place = 1 then ${catalogue} end as catalogue, listed.*
      from count left join listed on true order by place`.pipe(
      Effect.map((rows) => {
        const threads = rows.filter(hasThread)
        const roles = threads[0]?.catalogue ?? []
        return { total: rows[0]?.total ?? 0, threads: threads.map((row) => threadOf(row, roles)) }
      }),
      orDefect
    )
  }
})
