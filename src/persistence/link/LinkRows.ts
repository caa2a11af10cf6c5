import { Effect } from "effect"
import type { Asset } from "../../domain/asset/Asset.ts"
import { misc } from "../../domain/field/Json.ts"
import type { LinkReference } from "../../domain/link/Link.ts"
import type { AssetId, LinkId, PostId } from "../../domain/shared/Id.ts"
import { makeAssetReader } from "../asset/AssetRows.ts"
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
  readonly favicon_id: AssetId | null
  readonly primary_image_id: AssetId | null
}

/** The columns of `links l` that a link shows. */
export const linkColumns = `l.id, l.created_at, l.updated_at, l.url, l.slug, l.domain, l.title, l.description,
  l.favicon_id, l.primary_image_id`

const linkOf = (
  row: LinkRow,
  favicon: Asset | undefined,
  primaryImage: Asset | undefined
): LinkReference => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  url: row.url,
  slug: row.slug,
  domain: row.domain,
  title: row.title,
  description: row.description,
  ...(favicon === undefined ? {} : { favicon_image: favicon }),
  ...(primaryImage === undefined ? {} : { primary_image: primaryImage })
})

const assetIdsOf = (rows: ReadonlyArray<LinkRow>) => [
  ...new Set(rows.flatMap((row) => [row.favicon_id ?? [], row.primary_image_id ?? []].flat()))
]

/** Reads links for pages that show them. */
export const makeLinkReader = Effect.gen(function* () {
  const sql = yield* QuickReads
  const assets = yield* makeAssetReader

  /** The links of rows, with their pictures. */
  const ofRows = Effect.fnUntraced(function* (rows: ReadonlyArray<LinkRow>) {
    const found = yield* assets.byIds(assetIdsOf(rows))
    const pictureOf = (id: AssetId | null) => (id === null ? undefined : found.get(id))
    return rows.map((row) => linkOf(row, pictureOf(row.favicon_id), pictureOf(row.primary_image_id)))
  })

  const byId = Effect.fnUntraced(function* (ids: ReadonlyArray<LinkId>) {
    if (ids.length === 0) return new Map<LinkId, LinkReference>()
    const rows = yield* all(
      sql<LinkRow>`select ${sql.literal(linkColumns)} from links l where ${isOneOf(sql, "l.id", ids)}`
    )
    return new Map((yield* ofRows(rows)).map((link) => [link.id, link]))
  })

  /** The links in the bodies of these posts, in the order of each text. */
  const ofPosts = Effect.fnUntraced(function* (posts: ReadonlyArray<PostId>) {
    if (posts.length === 0) return new Map<PostId, ReadonlyArray<LinkReference>>()
    const rows = yield* all(
      sql<LinkRow & { readonly post_id: PostId }>`select pl.post_id, ${sql.literal(linkColumns)}
        from post_links pl join links l on l.id = pl.link_id
        where ${isOneOf(sql, "pl.post_id", posts)} order by pl.post_id, pl.position`
    )
    const links = yield* ofRows(rows)
    const linked = rows.map(({ post_id }, index) => ({ post_id, link: links.slice(index, index + 1) }))
    const grouped = Map.groupBy(linked, ({ post_id }) => post_id)
    return new Map([...grouped].map(([post, list]) => [post, list.flatMap(({ link }) => link)]))
  })

  return { ofRows, byId, ofPosts } as const
})
