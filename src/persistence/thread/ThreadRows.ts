import { tagColour } from "../../domain/tag/Tag.ts"
import type { ThreadReference } from "../../domain/thread/Thread.ts"
import { type CategoryRow, categoryColumns, categoryOf } from "../category/CategoryRows.ts"
import { type LinkJson, linkJson, linkOf } from "../link/LinkRows.ts"
import type { RoleCatalogue } from "../role/RoleRows.ts"
import { byKey, utc } from "../shared/Rows.ts"
import { type Opening, type PostRow, postColumns, postOf } from "./PostRows.ts"

type Nullable<Row> = { readonly [K in keyof Row]: Row[K] | null }

/** A thread's opening post with what only threads have. */
export interface ThreadRow extends PostRow, Opening, Nullable<CategoryRow> {
  readonly pinned: number
  readonly reply_count: number
  readonly last_reply_at: Date | null
  readonly replied: number
  readonly read_at: Date | null
  readonly replies_since: number
  readonly link: LinkJson | null
  readonly tags: ReadonlyArray<{ readonly name: string; readonly item_count: number }> | null
  /** On the first row of an answer only. */
  readonly catalogue: RoleCatalogue | null
}

/** Selects what only thread `t` has, as `viewer` sees it. */
export const threadOnlyColumns = `t.pinned, t.reply_count, t.last_reply_at, coalesce(part.replies, 0) as replied, mark.read_at,
  case when mark.read_at is null then 0 else (
    select count(*)::int from posts n where n.thread_id = t.id and n.id <> n.thread_id and n.deleted_at is null
      and n.created_at >= date_trunc('second', mark.read_at) + interval '1 second'
  ) end as replies_since,
  (select ${linkJson} from links l where l.id = t.link_id) as link,
  (select json_agg(json_build_object('name', tg.name, 'item_count', tg.item_count) order by tg.name)
    from thread_tags tt ${byKey("tags", "tg", "tt.tag_id")} where tt.thread_id = t.id) as tags,
  ${categoryColumns}`

/**
 * Joins to thread `t` what `threadOnlyColumns` selects; the row of `viewer`
 * has the viewer's id, null for a guest. Of the viewer's own rows, of which
 * there may be any number, each is looked up by its key.
 */
export const threadOnlyJoins = `
  left join categories c on c.id = t.category_id
  left join lateral (select replies from thread_participants
    where thread_id = t.id and account_id = (select id from viewer) offset 0) part on true
  left join lateral (select read_at from read_marks
    where thread_id = t.id and account_id = (select id from viewer) offset 0) mark on true`

/** Selects thread `t`, opened by post `p`. */
export const threadColumns = `${postColumns}, p.title, p.slug, ${threadOnlyColumns}`

/** Joins to thread `t` what `threadColumns` selects. */
export const threadJoins = `
  ${byKey("posts", "p", "t.id")}
  ${byKey("accounts", "a", "p.author_id")}
  ${threadOnlyJoins}`

const hasCategory = (row: Nullable<CategoryRow>): row is CategoryRow => row.category_id !== null

export const threadOf = (row: ThreadRow, catalogue: RoleCatalogue): ThreadReference => ({
  ...postOf(row, row.title, row.slug, catalogue),
  pinned: row.pinned,
  ...(row.read_at === null
    ? {}
    : { read_status: { last_read_at: utc(row.read_at), replies_since: row.replies_since } }),
  reply_status: { replies: row.reply_count, replied: row.replied },
  ...(hasCategory(row) ? { category: categoryOf(row) } : {}),
  ...(row.link === null ? {} : { link: linkOf(row.link) }),
  tags: (row.tags ?? []).map((tag) => ({ ...tag, colour: tagColour(tag.name) })),
  ...(row.last_reply_at === null ? {} : { last_reply_at: utc(row.last_reply_at) })
})
