/** Nodes as statements answer them, and as they are shown. */
import type { Types } from "effect"
import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { Asset } from "../../domain/asset/Asset.ts"
import { type JsonObject, misc } from "../../domain/field/Json.ts"
import {
  type NodePart,
  nodePartNames,
  nodeParts,
  type OmittedField
} from "../../domain/library/NodeOmission.ts"
import type { ShownNode } from "../../domain/library/NodeQueries.ts"
import type { LinkReference } from "../../domain/link/Link.ts"
import type { AccountId, AssetId, LinkId, NodeId, NodeVersionId, TagId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import type { TagReference } from "../../domain/vocabulary/Tag.ts"
import { peopleVersion } from "../account/ProfileCache.ts"
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
  /** The metadata; null where the row leaves it out. */
  readonly meta: JsonObject | null
  readonly link_id: LinkId | null
  readonly primary_image_id: AssetId | null
  /** The ids of the tags; null where the row leaves them out. */
  readonly tag_ids: ReadonlyArray<TagId> | null
  readonly asset_count: number
  /** The size of the fields that the children of the node share; 0 if they share none. */
  readonly field_bytes: number
  readonly shows_properties: boolean
  /** The fields that the node has and the row leaves out; null if there are none. */
  readonly omitted: ReadonlyArray<OmittedField> | null
  /** The version of all people and, in the next column, that of tags and categories; null in all rows but the first. */
  readonly people_version: string | null
  readonly tags_and_categories_version: string | null
}

/** The SQL condition for each part of a node that this part is shown. */
export type PartConditions = { readonly [Part in NodePart]: string }

const allOf = (condition: string): PartConditions => ({
  description: condition,
  meta: condition,
  tags: condition,
  properties: condition,
  content: condition
})

/** The conditions that a node `n` has a field: only a field that it has can be left out. */
const present: { readonly [Field in OmittedField]: string } = {
  description: "n.description <> ''",
  meta: "n.meta_bytes > 2",
  tags: "n.tag_ids <> '{}'",
  properties: `case when n.parent_id is null then n.own_field_bytes > 0
    else exists (select from property_fields where parent_id = n.parent_id) end`,
  child_property_schema: "n.field_bytes > 0",
  content: "n.content is not null",
  link: "n.link_id is not null",
  assets: "n.asset_count > 0"
}

const omittedOf = (shows: PartConditions): string => {
  const fields = nodePartNames.flatMap((part) =>
    nodeParts[part].map((field) => `case when not (${shows[part]}) and ${present[field]} then '${field}' end`)
  )
  const isAll = nodePartNames.map((part) => shows[part]).join(" and ")
  return `case when not (${isAll}) then array_remove(array[${fields.join(", ")}], null) end as omitted`
}

/**
 * The columns that are read of `nodes n`. Where the condition of a part is false, its columns are empty, and `omitted`
 * names those of its fields that the node has. Where `isFirst` is false, the versions that only the first row needs are
 * null.
 */
export const nodeColumns = (shows: PartConditions = allOf("true"), isFirst = "true"): string => {
  const when = (condition: string, value: string, column: string, otherwise: string) =>
    condition === "true"
      ? `${value} as ${column}`
      : `case when ${condition} then ${value} else ${otherwise} end as ${column}`
  const shown = (part: NodePart, column: string, otherwise = "null") =>
    when(shows[part], `n.${column}`, column, otherwise)
  const omitted = Object.values(shows).every((condition) => condition === "true")
    ? "null as omitted"
    : omittedOf(shows)
  return `n.id, n.created_at, n.updated_at, n.owner_id, n.parent_id, n.name, n.slug, n.current_version_id,
    ${shown("description", "description", "''")}, ${shown("content", "content")}, n.hide_child_tree,
    n.visibility, ${shown("meta", "meta")}, ${shown("content", "link_id")}, n.primary_image_id,
    ${shown("tags", "tag_ids")}, ${shown("content", "asset_count", "0")}, n.field_bytes,
    ${shows.properties} as shows_properties, ${omitted},
    ${when(isFirst, peopleVersion, "people_version", "null")},
    ${when(isFirst, "(select sum(tags_and_categories) from change_versions)::text", "tags_and_categories_version", "null")}`
}

/** The columns that are read of `nodes n` where either all of a node is shown or only what every node has. */
export const nodeColumnsIf = (isWhole: string): string => nodeColumns(allOf(isWhole))

/** What belongs to a node and is read apart from its row. */
export interface NodeDetails {
  readonly assets: ReadonlyArray<Asset>
  readonly link: LinkReference | undefined
  readonly primaryImage: Asset | undefined
  readonly owner: ProfileReference
  readonly tags: ReadonlyArray<TagReference>
  readonly properties: ShownNode["properties"]
  readonly fields: ShownNode["child_property_schema"]
}

const nothing: ReadonlyArray<never> = []
const noMetadata: JsonObject = {}

/**
 * The node of a row: one object to which the few fields that not all nodes have are added, as a list has ten thousand
 * nodes.
 */
export const nodeOf = (row: NodeRow, details: NodeDetails): ShownNode => {
  const node: Types.Mutable<ShownNode> = {
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
