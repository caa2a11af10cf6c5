import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { LinkId } from "../../domain/shared/Id.ts"
import { Ids } from "../../domain/shared/Ids.ts"
import type { LinkAddress } from "../../domain/text/LinkAddress.ts"
import { insertRows } from "../shared/insertRows.ts"
import { locking } from "../shared/Locks.ts"
import { searchTextOf } from "./LinkSearchText.ts"

interface WithId extends LinkAddress {
  readonly id: string
}

/** The title and description of a link before its web page was read. */
export const nothingKnown = { title: "", description: "" }

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const inLockOrder = (a: LinkAddress, b: LinkAddress) => compare(a.slug, b.slug) || compare(a.url, b.url)

/** Stores the links that posts and nodes contain. */
export const makeLinkWriter = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const ids = yield* Ids

  /** Adds links, except those whose URL or slug exists already. */
  const add = (links: ReadonlyArray<WithId>, at: Date) =>
    locking("link")(
      insertRows(
        sql,
        "links",
        links.map((link) => ({
          ...link,
          created_at: at,
          updated_at: at,
          search_text: searchTextOf(link.url, nothingKnown)
        }))
      )
    )

  /** The ids of the links that exist, by URL. Nobody deletes links. */
  const idsByUrl = (links: ReadonlyArray<LinkAddress>) =>
    Effect.map(
      sql<{ readonly id: LinkId; readonly url: string }>`
        select id, url from links where url = any(${links.map(({ url }) => url)}::text[])`,
      (rows) => new Map(rows.map(({ id, url }) => [url, id]))
    )

  /** Adds the id to the slug of each link that is not public and has one of these slugs, as no slug may tell of it. */
  const renameHidden = (missing: ReadonlyArray<WithId>, known: ReadonlyArray<string>) =>
    sql`update links set slug = slug || '-' || id where id in (
        select id from links where slug = any(${missing.map(({ slug }) => slug)}::text[])
          and not is_public and id <> all(${known}::text[])
        order by slug for update
      )`

  /**
   * Adds links whose slugs are taken: links that are not public give them up, and where others have them, the new link
   * has its id at the end of its slug.
   */
  const addRenamed = Effect.fnUntraced(function* (
    links: ReadonlyArray<WithId>,
    known: ReadonlyArray<string>,
    at: Date
  ) {
    yield* renameHidden(links, known)
    yield* add(links, at)
    yield* add(
      links.map((link) => ({ ...link, slug: `${link.slug}-${link.id}` })),
      at
    )
    return yield* idsByUrl(links)
  })

  /**
   * The ids of the links at these addresses, in their order. An address not seen before becomes a link.
   * A transaction resolves all its addresses at once, in the order of their slugs and, of one slug, of
   * their URLs: transactions wait for each other at either, and never in a circle.
   */
  const resolve = Effect.fnUntraced(function* (addresses: ReadonlyArray<LinkAddress>, at: Date) {
    if (addresses.length === 0) return []
    const byUrl = new Map(addresses.map((address) => [address.url, address]))
    const links = yield* Effect.forEach([...byUrl.values()].toSorted(inLockOrder), (address) =>
      Effect.map(ids.next, (id) => ({ ...address, id }))
    )
    yield* add(links, at)
    const found = yield* idsByUrl(links)
    const missing = links.filter(({ url }) => !found.has(url))
    const renamed = missing.length === 0 ? undefined : yield* addRenamed(missing, [...found.values()], at)
    return yield* Effect.forEach(addresses, ({ url }) => {
      const id = found.get(url) ?? renamed?.get(url)
      return id === undefined ? Effect.die(new Error(`No link was made for ${url}`)) : Effect.succeed(id)
    })
  })

  /** Makes these, and no others, the links of `owner` in a table; those that stay are not touched. */
  const setLinks =
    (table: "node_links" | "post_links", owner: "node_id" | "post_id") =>
    (id: string, linkIds: ReadonlyArray<string>) => {
      const [links, column] = [[...new Set(linkIds)], sql(owner)]
      return sql`with gone as (
          delete from ${sql(table)} where ${column} = ${id} and link_id <> all(${links}::text[])
        )
        insert into ${sql(table)} as known (${column}, link_id, position)
          select ${id}, link_id, place - 1 from unnest(${links}::text[]) with ordinality l (link_id, place)
        on conflict (${column}, link_id) do update set position = excluded.position
          where known.position <> excluded.position`
    }

  return {
    resolve,
    setPostLinks: setLinks("post_links", "post_id"),
    setNodeLinks: setLinks("node_links", "node_id")
  } as const
})
