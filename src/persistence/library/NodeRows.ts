/** Pages of the library as statements answer them, and as they are shown. */
import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { Asset } from "../../domain/asset/Asset.ts"
import type { ShownNode } from "../../domain/library/NodeReader.ts"
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
  /** Not 0 if its children share fields. */
  readonly field_bytes: number
  /** Whether nothing of it was left out. */
  readonly is_full: boolean
  /** Of the people and the tags that there are. */
  readonly people_version: string
  readonly catalogue_version: string
}

/**
 * What is read of `nodes n`. Where the expressions are false, it is brief, or not even described: the columns of what
 * may be long are empty, which are its content, metadata, files, tags and link.
 */
export const nodeColumns = (isFull: string, isDescribed = "true"): string => {
  const ifFull = (column: string, otherwise: string) =>
    isFull === "true"
      ? `n.${column}`
      : `case when ${isFull} then n.${column} else ${otherwise} end as ${column}`
  const description =
    isDescribed === "true"
      ? "n.description"
      : `case when ${isDescribed} then n.description else '' end as description`
  return `n.id, n.created_at, n.updated_at, n.owner_id, n.parent_id, n.name, n.slug, n.current_version_id,
    ${description}, ${ifFull("content", "null")}, n.hide_child_tree, n.visibility, ${ifFull("meta", "'{}'::jsonb")},
    ${ifFull("link_id", "null")}, n.primary_image_id, ${ifFull("tag_ids", "'{}'::text[]")},
    ${ifFull("asset_count", "0")}, n.field_bytes, ${isFull} as is_full, ${peopleVersion} as people_version,
    (select sum(catalogue) from change_stamps)::text as catalogue_version`
}

/** What the fields of the pages at the top level weigh; those of others are known on the page that contains them. */
export const topFieldBytes = `(select coalesce(sum(octet_length(name) + octet_length(sort) + 100), 0)::int
  from property_fields where parent_id is null)`

/** What belongs to a page. */
export interface NodeDetails {
  readonly assets: ReadonlyArray<Asset>
  readonly link: LinkReference | undefined
  readonly primaryImage: Asset | undefined
  readonly owner: ProfileReference
  readonly tags: ReadonlyArray<TagReference>
}

/** A page without properties, and where it is. */
export type PlainNode = Omit<
  ShownNode,
  "child_property_schema" | "parentId" | "properties" | "recomentations"
>

export const nodeOf = (
  row: NodeRow,
  { assets, link, owner, primaryImage, tags }: NodeDetails
): PlainNode => ({
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
