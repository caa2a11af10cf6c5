import type { Id, PostId } from "../../domain/shared/Id.ts"
import { type JsonObject, misc } from "../../domain/shared/Json.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { Post } from "../../domain/thread/Post.ts"
import type { Reply } from "../../domain/thread/Reply.ts"
import { type ProfileRow, profileColumns, profileOf } from "../account/ProfileRows.ts"
import { type LinkJson, linkJson, linkOf } from "../link/LinkRows.ts"
import type { RoleCatalogue } from "../role/RoleRows.ts"
import { type Columns, selected } from "../shared/Columns.ts"
import { shown } from "../shared/Rows.ts"

type ReactJson = ProfileRow & { readonly react_id: typeof Id.Type; readonly emoji: string }

/** A post with its author, as its viewer sees it. */
export interface PostRow extends ProfileRow {
  readonly id: PostId
  readonly thread_id: PostId
  readonly reply_to_id: PostId | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly visibility: Visibility
  readonly body: string
  readonly description: string
  readonly meta: JsonObject
  readonly like_count: number
  readonly liked: boolean
  readonly reacts: ReadonlyArray<ReactJson> | null
  readonly links: ReadonlyArray<LinkJson> | null
}

/**
 * A post `p` by author `a`, as the account whose id is in the row of `viewer`
 * sees it. Most posts have no reactions and no links, which is found out
 * before anything is gathered.
 */
export const postColumns: Columns<PostRow> = {
  id: "p.id",
  thread_id: "p.thread_id",
  reply_to_id: "p.reply_to_id",
  created_at: "p.created_at",
  updated_at: "p.updated_at",
  visibility: "p.visibility",
  body: "p.body",
  description: "p.description",
  meta: "p.meta",
  like_count: "p.like_count",
  liked: "(select true from likes where post_id = p.id and account_id = (select id from viewer)) is true",
  reacts: `case when (select true from reacts where post_id = p.id limit 1) then
    (select json_agg(x order by x.react_id) from (
      select ${selected({ react_id: "re.id", emoji: "re.emoji", ...profileColumns("ra") })}
      from reacts re join accounts ra on ra.id = re.account_id where re.post_id = p.id
    ) x) end`,
  links: `case when (select true from post_links where post_id = p.id limit 1) then
    (select json_agg(${linkJson} order by pl.position) from post_links pl join links l on l.id = pl.link_id
      where pl.post_id = p.id) end`,
  ...profileColumns("a")
}

/** What of a thread shows on each of its posts. */
export interface Opening {
  readonly title: string
  readonly slug: string
}

const noCollections = { in_collections: 0, has_collected: false }

/** A post under the thread's title; `slug` is the post's own address. */
export const postOf = (row: PostRow, title: string, slug: string, catalogue: RoleCatalogue): Post => ({
  id: row.id,
  createdAt: shown(row.created_at),
  updatedAt: shown(row.updated_at),
  misc,
  title,
  description: row.description,
  slug,
  author: profileOf(row, catalogue),
  visibility: row.visibility,
  assets: [],
  reacts: (row.reacts ?? []).map((react) => ({
    id: react.react_id,
    emoji: react.emoji,
    author: profileOf(react, catalogue)
  })),
  collections: noCollections,
  likes: { likes: row.like_count, liked: row.liked },
  meta: row.meta,
  body: row.body,
  body_links: (row.links ?? []).map(linkOf)
})

/**
 * Where a post is found: at its thread's slug, a reply with its id as the
 * fragment. Joined, because a concatenation stays in pieces, which the fast way
 * of writing JSON does not take.
 */
export const postSlug = (opening: Opening, post: { readonly id: string; readonly thread_id: string }) =>
  post.id === post.thread_id ? opening.slug : [opening.slug, "#", post.id].join("")

export const replyOf = (
  row: PostRow,
  quoted: PostRow | undefined,
  opening: Opening,
  catalogue: RoleCatalogue
): Reply => ({
  ...postOf(row, opening.title, postSlug(opening, row), catalogue),
  root_id: row.thread_id,
  root_slug: opening.slug,
  ...(quoted === undefined ? {} : { reply_to: replyOf(quoted, undefined, opening, catalogue) })
})
