/** One statement for a page of a thread: the thread, its replies, what they quote, and the viewer's own state. */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { accountIdOf, holds } from "../../domain/shared/Actor.ts"
import { pageEnvelope } from "../../domain/shared/Page.ts"
import type { Thread } from "../../domain/thread/Thread.ts"
import { pageSize, type ThreadPage, type ThreadPageRequest } from "../../domain/thread/ThreadStore.ts"
import { type RoleCatalogue, roleCatalogue } from "../role/RoleRows.ts"
import { type Columns, rowsOf, selected } from "../shared/Columns.ts"
import { byKey } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type PostRow, postColumns, replyOf } from "./PostRows.ts"
import { type ThreadRow, threadJson, threadJsonJoins, threadOf } from "./ThreadRows.ts"

/** The opening post first, then the page's replies in order, then posts they quote from elsewhere. */
type PageRow = PostRow & { readonly part: "opening" | "reply" | "quoted" } & {
  readonly [K in Exclude<keyof ThreadRow, keyof PostRow>]: ThreadRow[K] | null
} & { readonly tag: string | null; readonly catalogue: RoleCatalogue | null }

type OpeningRow = PageRow & ThreadRow & { readonly tag: string; readonly catalogue: RoleCatalogue }

const pageColumns: Columns<PageRow> = {
  part: "p.part",
  ...postColumns,
  title: "p.title",
  slug: "p.slug",
  thread: "thread.thread",
  tag: "thread.tag",
  catalogue: `case when p.part = 'opening' then ${roleCatalogue} end`
}

const isOpening = (row: PageRow | undefined): row is OpeningRow => row?.part === "opening"

export const makeThreadPage = Effect.map(SqlClient.SqlClient, (sql) => {
  const thread = sql.literal(threadJson)
  const joins = sql.literal(threadJsonJoins)
  const columns = sql.literal(selected(pageColumns))
  const rows = rowsOf(pageColumns)
  const authors = sql.literal(byKey("accounts", "a", "p.author_id"))
  const tags = sql.literal(byKey("tags", "tg", "tt.tag_id"))
  const size = sql.literal(String(pageSize))

  return (request: ThreadPageRequest): Effect.Effect<Option.Option<ThreadPage>> => {
    const viewerId = accountIdOf(request.viewer) ?? null
    // What the answer depends on besides the data: who asks, with what rights, for which page.
    const asker = `${viewerId}:${holds(request.viewer, "MANAGE_POSTS")}:${request.page}`
    const offset = (request.page - 1) * pageSize

    return rows(sql`
      with viewer as (select ${viewerId}::text as id),
      thread as materialized (
        select t.reply_count, ${thread} as thread, md5(concat_ws(':', ${asker}::text, t.version, c.version, mark.read_at,
            (select value from change_stamps where name = 'people'),
            (select string_agg(tg.item_count::text, ',' order by tg.name)
              from thread_tags tt ${tags} where tt.thread_id = t.id)
          )) as tag
        from threads t ${joins}
        where t.id = ${request.id} and t.deleted_at is null
      ),
      -- Counted from whichever end of the thread is nearer.
      span as (
        select greatest(0, least(${size}, reply_count - ${offset}::bigint)) as size,
          greatest(0, reply_count - ${offset}::bigint - ${size}) as after,
          ${offset}::bigint * 2 > reply_count as backwards
        from thread where tag is distinct from ${request.known ?? null}::text
      ),
      -- The constant limit tells the planner what the others cannot: how few they are.
      replies as (select * from (
        (select * from posts
          where thread_id = ${request.id} and id <> thread_id and deleted_at is null
          order by created_at, id
          offset ${offset}::bigint limit coalesce((select size from span where not backwards), 0))
        union all
        (select * from posts
          where thread_id = ${request.id} and id <> thread_id and deleted_at is null
          order by created_at desc, id desc
          offset coalesce((select after from span), 0)
          limit coalesce((select size from span where backwards), 0))
      ) either limit ${size}),
      quoted as (
        select * from posts where deleted_at is null and id in (
          select reply_to_id from replies where reply_to_id is not null limit ${size}
        ) and id not in (select id from replies)
      ),
      p as (
        select 'opening' as part, 0 as place, posts.* from posts where id = ${request.id}
        union all select 'reply', 1, replies.* from replies
        union all select 'quoted', 2, quoted.* from quoted
      )
      select ${columns} from p
      ${authors}
      left join thread on p.part = 'opening'
      where exists (select from thread)
      order by p.place, p.created_at, p.id`).pipe(
      Effect.map(([opening, ...rows]) =>
        isOpening(opening) ? Option.some(pageOf(opening, rows, request)) : Option.none()
      ),
      orDefect
    )
  }
})

const pageOf = (
  opening: OpeningRow,
  rows: ReadonlyArray<PageRow>,
  request: ThreadPageRequest
): ThreadPage => ({
  authorId: opening.profile_id,
  visibility: opening.visibility,
  tag: opening.tag,
  thread: opening.tag === request.known ? undefined : threadPageOf(opening, rows, request.page)
})

const threadPageOf = (opening: OpeningRow, rows: ReadonlyArray<PageRow>, page: number): Thread => {
  const { catalogue } = opening
  const byId = new Map(rows.map((row) => [row.id, row]))
  const replies = rows
    .filter((row) => row.part === "reply")
    .map((row) => replyOf(row, quotedBy(row, byId), opening, catalogue))
  return {
    ...threadOf(opening, catalogue),
    recomentations: [],
    replies: {
      ...pageEnvelope({
        current: page,
        size: pageSize,
        total: opening.thread.reply_count,
        results: replies.length
      }),
      replies
    }
  }
}

const quotedBy = (row: PageRow, byId: ReadonlyMap<string, PageRow>) =>
  row.reply_to_id === null ? undefined : byId.get(row.reply_to_id)
