/** Pages of the library as statements answer them, and as they are shown. */
import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { Asset } from "../../domain/asset/Asset.ts"
import type { Node } from "../../domain/library/Node.ts"
import type { LinkReference } from "../../domain/link/Link.ts"
import type { AccountId, AssetId, LinkId, NodeId, NodeVersionId, TagId } from "../../domain/shared/Id.ts"
import { type JsonObject, misc } from "../../domain/shared/Json.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { TagReference } from "../../domain/tag/Tag.ts"
import { peopleVersion } from "../account/People.ts"
import { toTimestamp } from "../shared/Rows.ts"

export interface NodeRow {
  readonly id: NodeId
  readonly created_at: Date
  readonly updated_at: Date
  readonly owner_id: AccountId
  readonly parent_id: NodeId | null
  readonly name: string
  readonly slug: string
  readonly current_version_id: NodeVersionId | null
  readonly description: string
  readonly content: string | null
  readonly hide_child_tree: boolean
  readonly visibility: Visibility
  readonly meta: JsonObject
  readonly link_id: LinkId | null
  readonly primary_image_id: AssetId | null
  readonly tag_ids: ReadonlyArray<TagId>
  readonly asset_count: number
  /** Of the people and the tags that there are. */
  readonly people_version: string
  readonly catalogue_version: string
}

const fullColumns = `n.id, n.created_at, n.updated_at, n.owner_id, n.parent_id, n.name, n.slug,
  n.current_version_id, n.description, n.content, n.hide_child_tree, n.visibility, n.meta, n.link_id,
  n.primary_image_id, n.tag_ids, n.asset_count, ${peopleVersion} as people_version,
  (select sum(catalogue) from change_stamps)::text as catalogue_version`

/**
 * How much is shown of a page, of `nodes n`. What is brief has the same columns, empty, of what may be long: its
 * content, metadata, files, tags, link and properties.
 */
export const nodeColumns = {
  full: fullColumns,
  brief: fullColumns
    .replace("n.content", "null as content")
    .replace("n.meta", "'{}'::jsonb as meta")
    .replace("n.link_id", "null as link_id")
    .replace("n.tag_ids", "'{}'::text[] as tag_ids")
    .replace("n.asset_count", "0 as asset_count")
} as const

/** What belongs to a page. */
export interface NodeDetails {
  readonly assets: ReadonlyArray<Asset>
  readonly link: LinkReference | undefined
  readonly primaryImage: Asset | undefined
  readonly owner: ProfileReference
  readonly tags: ReadonlyArray<TagReference>
}

export const nodeOf = (row: NodeRow, { assets, link, owner, primaryImage, tags }: NodeDetails): Node => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  name: row.name,
  slug: row.slug,
  ...(row.current_version_id === null ? {} : { current_version_id: row.current_version_id }),
  assets,
  ...(link === undefined ? {} : { link }),
  description: row.description,
  ...(primaryImage === undefined ? {} : { primary_image: primaryImage }),
  ...(row.content === null ? {} : { content: row.content }),
  owner,
  hide_child_tree: row.hide_child_tree,
  tags,
  visibility: row.visibility,
  meta: row.meta
})
