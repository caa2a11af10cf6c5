import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { LinkAddress, LinkReference } from "../../domain/link/Link.ts"
import type { LinkId } from "../../domain/shared/Id.ts"
import { Ids } from "../../domain/shared/Ids.ts"
import { misc } from "../../domain/shared/Json.ts"
import { insertRows } from "../shared/insertRows.ts"
import { shown } from "../shared/Rows.ts"

/** A link as `linkJson` puts it. */
export interface LinkJson {
  readonly id: LinkId
  readonly created_at: string
  readonly updated_at: string
  readonly url: string
  readonly slug: string
  readonly domain: string
  readonly title: string
  readonly description: string
}

/** An expression for the link in row `l`. */
export const linkJson = `json_build_object('id', l.id, 'created_at', l.created_at, 'updated_at', l.updated_at,
  'url', l.url, 'slug', l.slug, 'domain', l.domain, 'title', l.title, 'description', l.description)`

export const linkOf = (row: LinkJson): LinkReference => ({
  id: row.id,
  createdAt: shown(row.created_at),
  updatedAt: shown(row.updated_at),
  misc,
  url: row.url,
  slug: row.slug,
  domain: row.domain,
  title: row.title,
  description: row.description
})

/** Keeps the links that posts point to. */
export const makeLinkWriter = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* Ids

  /**
   * The ids of the links at these addresses, in their order. An address not
   * seen before becomes a link; one that differs from another only in its
   * query shares the link of the same slug. A transaction resolves all its
   * addresses at once: one order for all writers, so that none waits for
   * another in a circle.
   */
  const resolve = Effect.fnUntraced(function* (addresses: ReadonlyArray<LinkAddress>, at: Date) {
    const bySlug = new Map(addresses.toReversed().map((address) => [address.slug, address]))
    if (bySlug.size === 0) return []
    const sorted = [...bySlug.values()].toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    const rows = yield* Effect.forEach(sorted, (address) =>
      Effect.map(ids.next, (id) => ({ ...address, id, created_at: at, updated_at: at }))
    )
    yield* insertRows(sql, "links", rows)
    const found = yield* sql<{ readonly id: string; readonly slug: string }>`
      select id, slug from links where slug = any(${[...bySlug.keys()]}::text[])`
    const idOf = new Map(found.map((row) => [row.slug, row.id]))
    return addresses.flatMap(({ slug }) => idOf.get(slug) ?? [])
  })

  /** Makes these, and no others, the links of a post. */
  const setPostLinks = Effect.fnUntraced(function* (postId: string, linkIds: ReadonlyArray<string>) {
    yield* sql`delete from post_links where post_id = ${postId}`
    const rows = [...new Set(linkIds)].map((link_id, position) => ({ post_id: postId, link_id, position }))
    yield* insertRows(sql, "post_links", rows)
  })

  return { resolve, setPostLinks } as const
})
