import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { Collection } from "../../domain/collection/Collection.ts"
import { misc } from "../../domain/field/Json.ts"
import type { AccountId, CollectionId } from "../../domain/shared/Id.ts"
import { peopleVersion } from "../account/ProfileCache.ts"
import { toTimestamp } from "../shared/Rows.ts"

export interface CollectionRow {
  readonly id: CollectionId
  readonly created_at: Date
  readonly updated_at: Date
  readonly owner_id: AccountId
  readonly name: string
  readonly slug: string
  readonly description: string | null
  readonly item_count: number
  readonly people_version: string
}

/** The columns that are read of `collections c`, all but the number of items that a viewer sees. */
export const collectionColumns = `c.id, c.created_at, c.updated_at, c.owner_id, c.name, c.slug, c.description,
  ${peopleVersion} as people_version`

export const collectionOf = (
  row: CollectionRow,
  owner: ProfileReference,
  hasQueriedItem: boolean
): Collection => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  name: row.name,
  slug: row.slug === "" ? row.id : `${row.id}-${row.slug}`,
  ...(row.description === null ? {} : { description: row.description }),
  owner,
  item_count: row.item_count,
  has_queried_item: hasQueriedItem
})
