/** One statement for a page of threads, at the same cost from either end of the list. */
import { Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { accountIdOf } from "../../domain/shared/Actor.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { pageSize, type ThreadFilter } from "../../domain/thread/ThreadStore.ts"
import { type RoleCatalogue, roleCatalogue } from "../role/RoleRows.ts"
import { type Columns, rowsOf, selected } from "../shared/Columns.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type ThreadRow, threadColumns, threadJoins, threadOf } from "./ThreadRows.ts"

interface HeadRow {
  readonly total: number
  readonly author_known: boolean
  readonly catalogue: RoleCatalogue | null
}

type ListRow = HeadRow & { readonly [K in keyof ThreadRow]: ThreadRow[K] | null }

const headColumns: Columns<HeadRow> = {
  total: "count.total",
  author_known: "asked.author_known",
  catalogue: `case when listed.place = 1 then ${roleCatalogue} end`
}

const hasThread = (row: ListRow): row is ListRow & ThreadRow => row.id !== null

const isUnpublished = (visibility: Visibility) => visibility !== "published"

/** A `like` pattern that finds the text as it is written. */
const containing = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`

export const makeThreadList = Effect.map(SqlClient.SqlClient, (sql) => {
  const head = sql.literal(selected(headColumns))
  const columns = sql.literal(selected(threadColumns))
  const joins = sql.literal(threadJoins)
  const rows = rowsOf<ListRow>({ ...headColumns, ...threadColumns })
  const size = sql.literal(String(pageSize))

  const isOneOf = (visibilities: ReadonlyArray<Visibility>) =>
    visibilities.length === 0
      ? sql`false`
      : // Literal, so that a plan made for every value knows which partial index serves.
        sql`t.visibility in (${sql.literal(visibilities.map((one) => `'${one}'`).join(", "))})`

  const visible = ({ listing: { others, own }, viewer }: ThreadFilter): Statement.Fragment => {
    const viewerId = accountIdOf(viewer)
    if (viewerId === undefined) return isOneOf(others)
    const isOwn = sql`t.author_id = ${viewerId}`
    const ownOnly = own.filter((visibility) => !others.includes(visibility))
    if (others.every((visibility) => own.includes(visibility))) {
      return ownOnly.length === 0
        ? isOneOf(others)
        : sql`(${isOneOf(others)} or ${isOwn} and ${isOneOf(ownOnly)})`
    }
    return sql`(${isOwn} and ${isOneOf(own)} or not ${isOwn} and ${isOneOf(others)})`
  }

  const narrowed = (filter: ThreadFilter): Array<Statement.Fragment> => [
    ...(filter.author === undefined ? [] : [sql`t.author_id = (select id from author)`]),
    ...(filter.categories === null ? [sql`t.category_id is null`] : []),
    ...(filter.categories !== null && filter.categories.length > 0
      ? [sql`t.category_id in (select id from categories where ${sql.in("slug", filter.categories)})`]
      : []),
    ...(filter.tags.length === 0
      ? []
      : [sql`t.id in (select thread_id from thread_tags where ${sql.in("tag_id", filter.tags)})`]),
    ...(filter.text === undefined ? [] : [sql`t.id in (select id from found)`])
  ]

  /** Where the text is, looked for once in a statement. */
  const found = (text: string): Statement.Fragment => {
    const pattern = containing(text)
    // The first condition has an index, and alone it would find text across the ends of the three.
    return sql`found as materialized (
        select id from posts where id = thread_id and (title || ' ' || slug || ' ' || body) ilike ${pattern}
          and (title ilike ${pattern} or slug ilike ${pattern} or body ilike ${pattern})
      ),`
  }

  /** Published threads are counted as they come and go; only what else the caller sees is counted here. */
  const total = (filter: ThreadFilter, conditions: ReadonlyArray<Statement.Fragment>): Statement.Fragment => {
    const { others, own } = filter.listing
    const isKept = conditions.length === 0 && others.includes("published") && own.includes("published")
    if (!isKept) {
      return sql`(select count(*)::int from threads t
        where ${sql.and([sql`t.deleted_at is null`, visible(filter), ...conditions])})`
    }
    const listing = { others: others.filter(isUnpublished), own: own.filter(isUnpublished) }
    return sql`((select sum(published)::int from thread_totals) + (
      select count(*)::int from threads t where t.deleted_at is null and t.visibility <> 'published'
        and ${visible({ ...filter, listing })}))`
  }

  return (filter: ThreadFilter) => {
    const viewerId = accountIdOf(filter.viewer) ?? null
    const { author, text } = filter
    const conditions = narrowed(filter)
    const where = sql.and([sql`t.deleted_at is null`, visible(filter), ...conditions])
    const offset = (filter.page - 1) * pageSize
    const pinned = filter.ignorePinned ? sql.literal("") : sql.literal("t.pinned desc,")
    const pinnedBackwards = filter.ignorePinned ? sql.literal("") : sql.literal("t.pinned,")

    return rows(sql`
      with viewer as (select ${viewerId}::text as id),
      author as (
        select id from accounts where handle = ${author ?? null}::text or id = ${author ?? null}::text
        order by handle = ${author ?? null}::text desc limit 1
      ),
      asked as (select ${author === undefined ? sql`true` : sql`exists (select from author)`} as author_known),
      ${text === undefined ? sql.literal("") : found(text)}
      count as materialized (select ${total(filter, conditions)} as total),
      -- Counted from whichever end of the list is nearer.
      span as (
        select greatest(0, least(${size}, total - ${offset}::bigint)) as size,
          greatest(0, total - ${offset}::bigint - ${size}) as after,
          ${offset}::bigint * 2 > total as backwards
        from count
      ),
      -- The constant limit tells the planner what the others cannot: how few they are.
      page as (select id from (
        (select t.id from threads t where ${where}
          order by ${pinned} t.active_at desc, t.id desc
          offset ${offset}::bigint limit coalesce((select size from span where not backwards), 0))
        union all
        (select t.id from threads t where ${where}
          order by ${pinnedBackwards} t.active_at, t.id
          offset coalesce((select after from span), 0)
          limit coalesce((select size from span where backwards), 0))
      ) either limit ${size}),
      listed as (
        select ${columns}, row_number() over (order by ${pinned} t.active_at desc, t.id desc) as place
        from page
        join threads t on t.id = page.id
        ${joins}
      )
      select ${head}, listed.* from count cross join asked left join listed on true order by place`).pipe(
      Effect.map((rows) => {
        if (rows[0]?.author_known !== true) return Option.none()
        const threads = rows.filter(hasThread)
        const roles = threads[0]?.catalogue ?? []
        return Option.some({ total: rows[0].total, threads: threads.map((row) => threadOf(row, roles)) })
      }),
      orDefect
    )
  }
})
