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
  /** Absent from what is brief. */
  readonly meta: JsonObject | null
  readonly link_id: LinkId | null
  readonly primary_image_id: AssetId | null
  /** Absent from what is brief. */
  readonly tag_ids: ReadonlyArray<TagId> | null
  readonly asset_count: number
  /** Not 0 if its children share fields. */
  readonly field_bytes: number
  /** Whether nothing of it was left out. */
  readonly is_full: boolean
  /** Of the people and the tags that there are; the first row has them. */
  readonly people_version: string | null
  readonly catalogue_version: string | null
}

/**
 * What is read of `nodes n`. Where the expressions are false, it is brief, or not even described, and not the first
 * row: the columns of what may be long are empty, which are its content, metadata, files, tags and link.
 */
export const nodeColumns = (isFull: string, isDescribed = "true", isFirst = "true"): string => {
  const when = (condition: string, value: string, column: string, otherwise: string) =>
    condition === "true"
      ? `${value} as ${column}`
      : `case when ${condition} then ${value} else ${otherwise} end as ${column}`
  const ifFull = (column: string, otherwise = "null") => when(isFull, `n.${column}`, column, otherwise)
  return `n.id, n.created_at, n.updated_at, n.owner_id, n.parent_id, n.name, n.slug, n.current_version_id,
    ${when(isDescribed, "n.description", "description", "''")}, ${ifFull("content")}, n.hide_child_tree,
    n.visibility, ${ifFull("meta")}, ${ifFull("link_id")}, n.primary_image_id, ${ifFull("tag_ids")},
    ${ifFull("asset_count", "0")}, n.field_bytes, ${isFull} as is_full,
    ${when(isFirst, peopleVersion, "people_version", "null")},
    ${when(isFirst, "(select sum(catalogue) from change_stamps)::text", "catalogue_version", "null")}`
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
  readonly properties: ShownNode["properties"]
  readonly fields: ShownNode["child_property_schema"]
}

type Writable<A> = { -readonly [Key in keyof A]: A[Key] }

const nothing: ReadonlyArray<never> = []
const noMetadata: JsonObject = {}

/** Written as one object, to which the few that not all have are added: a list has ten thousand. */
export const nodeOf = (row: NodeRow, details: NodeDetails): ShownNode => {
  const node: Writable<ShownNode> = {
    id: row.id,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    misc,
    name: row.name,
    slug: row.slug,
    assets: details.assets,
    description: row.description,
    owner: details.owner,
    hide_child_tree: row.hide_child_tree,
    tags: details.tags,
    visibility: row.visibility,
    meta: row.meta ?? noMetadata,
    parentId: row.parent_id ?? undefined,
    recomentations: nothing,
    properties: details.properties,
    child_property_schema: details.fields
  }
  if (row.current_version_id !== null) node.current_version_id = row.current_version_id
  if (details.link !== undefined) node.link = details.link
  if (details.primaryImage !== undefined) node.primary_image = details.primaryImage
  if (row.content !== null) node.content = row.content
  return node
}
