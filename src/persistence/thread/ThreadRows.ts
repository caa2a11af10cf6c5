import { tagColour } from "../../domain/tag/Tag.ts"
import type { ThreadReference } from "../../domain/thread/Thread.ts"
import { type CategoryRow, categoryColumns, categoryOf } from "../category/CategoryRows.ts"
import { type LinkJson, linkJson, linkOf } from "../link/LinkRows.ts"
import type { RoleCatalogue } from "../role/RoleRows.ts"
import { type Columns, selected } from "../shared/Columns.ts"
import { byKey, shown } from "../shared/Rows.ts"
import { type Opening, type PostRow, postColumns, postOf } from "./PostRows.ts"

/** What only threads have; as JSON in one column, since most rows of a thread's page are replies. */
interface ThreadJson {
  readonly pinned: number
  readonly reply_count: number
  readonly last_reply_at: string | null
  readonly replied: number
  readonly read_at: string | null
  readonly replies_since: number
  readonly category: CategoryRow | null
  readonly link: LinkJson | null
  readonly tags: ReadonlyArray<{ readonly name: string; readonly item_count: number }> | null
}

/** A thread's opening post with what only threads have. */
export interface ThreadRow extends PostRow, Opening {
  readonly thread: ThreadJson
}

/**
 * An expression for the undeleted replies after the second of `mark.read_at`,
 * null if there are none: all that were made from the first of them on, but
 * for those deleted since.
 */
const repliesSince = `(
  select t.replies_made - n.ordinal + 1 - (select count(*)::int from posts d
    where d.thread_id = t.id and d.id <> d.thread_id and d.deleted_at is not null and d.ordinal > n.ordinal)
  from posts n where n.thread_id = t.id and n.id <> n.thread_id and n.deleted_at is null
    and n.created_at >= date_trunc('second', mark.read_at) + interval '1 second'
  order by n.created_at, n.id limit 1)`

/** An expression for what only thread `t` has, as `viewer` sees it. */
export const threadJson = `json_build_object('pinned', t.pinned, 'reply_count', t.reply_count,
  'last_reply_at', t.last_reply_at, 'replied', coalesce(part.replies, 0), 'read_at', mark.read_at,
  'replies_since', case when mark.read_at is null then 0 else coalesce(${repliesSince}, 0) end,
  'category', case when c.id is not null then (select row_to_json(x) from (select ${selected(categoryColumns)}) x) end,
  'link', (select ${linkJson} from links l where l.id = t.link_id),
  'tags', (select json_agg(json_build_object('name', tg.name, 'item_count', tg.item_count) order by tg.name)
    from thread_tags tt ${byKey("tags", "tg", "tt.tag_id")} where tt.thread_id = t.id))`

/**
 * Joins to thread `t` what `threadJson` needs; the row of `viewer` has the
 * viewer's id, null for a guest. Of the viewer's own rows, of which there may
 * be any number, each is looked up by its key.
 */
export const threadJsonJoins = `
  left join categories c on c.id = t.category_id
  left join lateral (select replies from thread_participants
    where thread_id = t.id and account_id = (select id from viewer) offset 0) part on true
  left join lateral (select read_at from read_marks
    where thread_id = t.id and account_id = (select id from viewer) offset 0) mark on true`

/** Thread `t`, opened by post `p`. */
export const threadColumns: Columns<ThreadRow> = {
  ...postColumns,
  title: "p.title",
  slug: "p.slug",
  thread: threadJson
}

/** Joins to thread `t` what `threadColumns` selects. */
export const threadJoins = `
  ${byKey("posts", "p", "t.id")}
  ${byKey("accounts", "a", "p.author_id")}
  ${threadJsonJoins}`

export const threadOf = (row: ThreadRow, catalogue: RoleCatalogue): ThreadReference => {
  const { category, last_reply_at, link, pinned, read_at, replied, replies_since, reply_count, tags } =
    row.thread
  return {
    ...postOf(row, row.title, row.slug, catalogue),
    pinned,
    ...(read_at === null ? {} : { read_status: { last_read_at: shown(read_at), replies_since } }),
    reply_status: { replies: reply_count, replied },
    ...(category === null ? {} : { category: categoryOf(category) }),
    ...(link === null ? {} : { link: linkOf(link) }),
    tags: (tags ?? []).map((tag) => ({ ...tag, colour: tagColour(tag.name) })),
    ...(last_reply_at === null ? {} : { last_reply_at: shown(last_reply_at) })
  }
}
