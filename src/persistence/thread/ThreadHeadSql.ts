/** What decides, by one row, whether a thread's page may be shown and whether it has changed. */
import { Effect, Option } from "effect"
import type { AccountId, CategoryId, LinkId, PostId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { ThreadHead } from "../../domain/thread/ThreadHead.ts"
import { companions } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

export interface HeadRow {
  readonly id: PostId
  readonly author_id: AccountId
  readonly visibility: Visibility
  readonly version: string
  readonly people_version: string
  readonly category_id: CategoryId | null
  readonly category_version: string | null
  readonly link_id: LinkId | null
  readonly pinned: number
  readonly reply_count: number
  readonly replies_made: number
  readonly last_reply_at: Date | null
  readonly read_at: Date | null
  readonly replies_since: number
  readonly replied: number
  readonly has_likes: boolean
}

/**
 * The undeleted replies of a thread after the second in which its viewer read it: all that were made from
 * the first of them on, but for those deleted since.
 */
const repliesSince = `coalesce((
    select t.replies_made - n.ordinal + 1
      - case when t.replies_made = t.reply_count then 0 else (select count(*)::int from posts d
        where d.thread_id = n.thread_id and d.id <> d.thread_id and d.deleted_at is not null
          and d.ordinal > n.ordinal) end
    from posts n where n.thread_id = t.id and n.id <> n.thread_id and n.deleted_at is null
      and n.created_at >= date_trunc('second', mark.read_at) + interval '1 second'
    order by n.created_at, n.id limit 1), 0)`

/** What heads show of a thread `t` and its category `c`. */
export const threadColumns = `t.id, t.author_id, t.visibility, t.category_id, c.version::text as category_version,
  t.link_id, t.pinned, t.reply_count, t.replies_made, t.last_reply_at`

/** What a viewer has of a thread `t`: of its read mark as `mark`, and of their part in it as `mine`. */
export const viewerColumns = `mark.read_at, coalesce(mine.replies, 0) as replied,
  case when mark.read_at < t.last_reply_at then ${repliesSince} else 0 end as replies_since`

const headQuery = (viewer: string, id: string) => `
  select ${threadColumns}, stamps.people::text as people_version,
    concat_ws('.', t.version, c.version, stamps.people, stamps.links,
      (select sum(tg.version) from thread_tags tt join tags tg on tg.id = tt.tag_id where tt.thread_id = t.id)
    ) as version,
    ${viewerColumns}, exists (select from likes where thread_id = t.id and account_id = ${viewer}) as has_likes
  from threads t
  cross join (select sum(people) as people, sum(links) as links from change_stamps) stamps
  left join categories c on c.id = t.category_id
  left join read_marks mark on mark.thread_id = t.id and mark.account_id = ${viewer}
  left join thread_participants mine on mine.thread_id = t.id and mine.account_id = ${viewer}
  where t.id = ${id} and t.deleted_at is null`

const categoryOf = ({ category_id, category_version }: HeadRow) =>
  category_id === null || category_version === null
    ? undefined
    : { id: category_id, version: category_version }

/** A thread whose content has this version. */
export const headOf = (row: HeadRow, version: string): ThreadHead => ({
  id: row.id,
  authorId: row.author_id,
  visibility: row.visibility,
  version,
  peopleVersion: row.people_version,
  category: categoryOf(row),
  linkId: row.link_id ?? undefined,
  pinned: row.pinned,
  lastReplyAt: row.last_reply_at === null ? undefined : toTimestamp(row.last_reply_at),
  counts: { replies: row.reply_count, made: row.replies_made },
  state: {
    lastReadAt: row.read_at === null ? undefined : toTimestamp(row.read_at),
    repliesSince: row.replies_since,
    replied: row.replied
  },
  hasLikes: row.has_likes
})

const isHead = (row: object): row is HeadRow => "id" in row && row.id !== null

/** The head of a thread, for any caller. */
export const headCompanion = companions(headQuery, (row) =>
  isHead(row) ? Option.some(headOf(row, row.version)) : Option.none()
)

const headText = headQuery("$2::text", "$1")

/** The head of a thread for an account, or for a guest. */
export const makeFindHead = Effect.map(
  QuickReads,
  (sql) => (id: PostId, viewer: AccountId | undefined) =>
    Effect.map(first(sql.unsafe<HeadRow>(headText, [id, viewer ?? null])), (row) =>
      row === undefined ? Option.none() : Option.some(headOf(row, row.version))
    )
)
