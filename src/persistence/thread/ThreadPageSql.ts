/** One statement for a page of a thread: the thread, its replies, what they quote, and the viewer's own state. */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { accountIdOf, holds } from "../../domain/shared/Actor.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { pageNumbers } from "../../domain/shared/Page.ts"
import type { Thread } from "../../domain/thread/Thread.ts"
import { pageSize, type ThreadPage, type ThreadPageRequest } from "../../domain/thread/ThreadStore.ts"
import { type RoleCatalogue, roleCatalogue } from "../role/RoleRows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type PostRow, replyOf } from "./PostRows.ts"
import { type ThreadRow, threadColumns, threadOf } from "./ThreadRows.ts"

/** The opening post first, then the page's replies in order, then posts they quote from elsewhere. */
type PageRow = PostRow & { readonly part: "opening" | "reply" | "quoted" } & {
  readonly [K in Exclude<keyof ThreadRow, keyof PostRow>]: ThreadRow[K] | null
} & { readonly tag: string | null }

type OpeningRow = PageRow & ThreadRow & { readonly tag: string; readonly catalogue: RoleCatalogue }

const isOpening = (row: PageRow | undefined): row is OpeningRow => row?.part === "opening"

export const makeThreadPage = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal(threadColumns)
  const catalogue = sql.literal(roleCatalogue)

  return (request: ThreadPageRequest): Effect.Effect<Option.Option<ThreadPage>> => {
    const viewerId = accountIdOf(request.viewer) ?? null
    // What the answer depends on besides the data: who asks, with what rights, for which page.
    const asker = `${viewerId}:${holds(request.viewer, "MANAGE_POSTS")}:${request.page}`
    const offset = (request.page - 1) * pageSize

    return sql<PageRow>`
      with viewer as (select ${viewerId}::text as id),
      thread as materialized (
        select t.*, md5(concat_ws(':', ${asker}::text, t.version, c.version, mark.read_at,
            (select value from change_stamps where name = 'people'),
            (select string_agg(tg.item_count::text, ',' order by tg.name)
              from thread_tags tt join tags tg on tg.id = tt.tag_id where tt.thread_id = t.id)
          )) as tag
        from threads t cross join viewer
        left join categories c on c.id = t.category_id
        left join read_marks mark on mark.thread_id = t.id and mark.account_id = viewer.id
        where t.id = ${request.id} and t.deleted_at is null
      ),
      -- Counted from whichever end of the thread is nearer.
      span as (
        select greatest(0, least(${pageSize}, reply_count - ${offset}::bigint)) as size,
          greatest(0, reply_count - ${offset}::bigint - ${pageSize}) as after,
          ${offset}::bigint * 2 > reply_count as backwards
        from thread where tag is distinct from ${request.known ?? null}::text
      ),
      replies as (
        (select id, reply_to_id from posts
          where thread_id = ${request.id} and id <> thread_id and deleted_at is null
          order by created_at, id
          offset ${offset}::bigint limit coalesce((select size from span where not backwards), 0))
        union all
        (select id, reply_to_id from posts
          where thread_id = ${request.id} and id <> thread_id and deleted_at is null
          order by created_at desc, id desc
          offset coalesce((select after from span), 0)
          limit coalesce((select size from span where backwards), 0))
      ),
      wanted as (
        select id, 'opening' as part, 0 as place from thread
        union all
        select id, 'reply', 1 from replies
        union all
        select distinct reply_to_id, 'quoted', 2 from replies
          where reply_to_id is not null and reply_to_id not in (select id from replies)
      )
      select w.part, ${columns}, t.tag, case when w.part = 'opening' then ${catalogue} end as catalogue
      from wanted w
      cross join viewer
      join posts p on p.id = w.id and p.deleted_at is null
      join accounts a on a.id = p.author_id
      left join thread t on t.id = p.id
      left join categories c on c.id = t.category_id
      left join likes mine on mine.post_id = p.id and mine.account_id = viewer.id
      left join thread_participants part on part.thread_id = t.id and part.account_id = viewer.id
      left join read_marks mark on mark.thread_id = t.id and mark.account_id = viewer.id
      order by w.place, p.created_at, p.id`.pipe(
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
  authorId: AccountId.make(opening.profile_id),
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
      ...pageNumbers({
        current: page,
        size: pageSize,
        total: opening.reply_count,
        results: replies.length
      }),
      replies
    }
  }
}

const quotedBy = (row: PageRow, byId: ReadonlyMap<string, PageRow>) =>
  row.reply_to_id === null ? undefined : byId.get(row.reply_to_id)
