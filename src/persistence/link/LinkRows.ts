import { Effect } from "effect"
import type { LinkReference } from "../../domain/link/Link.ts"
import type { LinkId, PostId } from "../../domain/shared/Id.ts"
import { misc } from "../../domain/shared/Json.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

export interface LinkRow {
  readonly id: LinkId
  readonly created_at: Date
  readonly updated_at: Date
  readonly url: string
  readonly slug: string
  readonly domain: string
  readonly title: string
  readonly description: string
}

/** What a link shows, of `links l`. */
export const linkColumns = "l.id, l.created_at, l.updated_at, l.url, l.slug, l.domain, l.title, l.description"

export const linkOf = (row: LinkRow): LinkReference => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  url: row.url,
  slug: row.slug,
  domain: row.domain,
  title: row.title,
  description: row.description
})

/** Reads links for pages that show them. */
export const makeLinkReader = Effect.map(QuickReads, (sql) => {
  const byId = Effect.fnUntraced(function* (ids: ReadonlyArray<LinkId>) {
    if (ids.length === 0) return new Map<LinkId, LinkReference>()
    const rows = yield* all(
      sql<LinkRow>`select ${sql.literal(linkColumns)} from links l where ${isOneOf(sql, "l.id", ids)}`
    )
    return new Map(rows.map((row) => [row.id, linkOf(row)]))
  })

  /** The links in the bodies of these posts, in the order of each text. */
  const ofPosts = Effect.fnUntraced(function* (posts: ReadonlyArray<PostId>) {
    if (posts.length === 0) return new Map<PostId, ReadonlyArray<LinkReference>>()
    const rows = yield* all(
      sql<LinkRow & { readonly post_id: PostId }>`select pl.post_id, ${sql.literal(linkColumns)}
        from post_links pl join links l on l.id = pl.link_id
        where ${isOneOf(sql, "pl.post_id", posts)} order by pl.post_id, pl.position`
    )
    const grouped = Map.groupBy(rows, ({ post_id }) => post_id)
    return new Map([...grouped].map(([post, links]) => [post, links.map(linkOf)]))
  })

  return { byId, ofPosts } as const
})
