import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { LinkAddress } from "../../domain/link/Link.ts"
import type { LinkId } from "../../domain/shared/Id.ts"
import { Ids } from "../../domain/shared/Ids.ts"
import { insertRows } from "../shared/insertRows.ts"
import { locking } from "../shared/Locks.ts"

/** Stores the links that posts contain. */
export const makeLinkWriter = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const ids = yield* Ids

  /**
   * The ids of the links at these addresses, in their order. An address not seen before becomes a link;
   * one that differs from another only in its query shares the link of the same slug. A transaction
   * resolves all its addresses at once and in the order of their slugs.
   */
  const resolve = Effect.fnUntraced(function* (addresses: ReadonlyArray<LinkAddress>, at: Date) {
    const bySlug = new Map(addresses.toReversed().map((address) => [address.slug, address]))
    if (bySlug.size === 0) return []
    const sorted = [...bySlug.values()].toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    const rows = yield* Effect.forEach(sorted, (address) =>
      Effect.map(ids.next, (id) => ({ ...address, id, created_at: at, updated_at: at }))
    )
    yield* locking("link")(insertRows(sql, "links", rows))
    const found = yield* sql<{ readonly id: LinkId; readonly slug: string }>`
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
