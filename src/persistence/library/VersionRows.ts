/** Versions of nodes as statements answer them, and as they are shown. */

import { Effect } from "effect"
import type { JsonObject } from "../../domain/field/Json.ts"
import type { NodeVersion, NodeVersionStatus } from "../../domain/library/NodeVersion.ts"
import type { PropertyMutation } from "../../domain/library/Property.ts"
import type { AccountId, NodeId, NodeVersionId } from "../../domain/shared/Id.ts"
import { peopleVersion, type Resolved } from "../account/ProfileCache.ts"
import { toTimestamp } from "../shared/Rows.ts"

export interface VersionRow {
  readonly id: NodeVersionId
  readonly node_id: NodeId
  readonly author_id: AccountId
  readonly created_at: Date
  readonly updated_at: Date
  readonly status: NodeVersionStatus
  readonly name: string
  readonly slug: string
  readonly description: string | null
  readonly content: string | null
  readonly properties: ReadonlyArray<PropertyMutation>
  readonly meta: JsonObject
  readonly people_version: string
}

/** A version with the one that was applied before it, if there is one. */
export interface FoundRow extends VersionRow {
  readonly previous_id: NodeVersionId | null
  readonly previous_author_id: AccountId
  readonly previous_created_at: Date
  readonly previous_updated_at: Date
}

const full = `v.id, v.node_id, v.author_id, v.created_at, v.updated_at, v.status, v.name, v.slug, v.description,
  v.content, v.properties, v.meta, ${peopleVersion} as people_version`

/**
 * The columns that are read of `node_versions v`: `full` for a version, `found` also with the one that was applied
 * before.
 */
export const versionColumns = {
  full,
  found: `${full}, p.id as previous_id, p.author_id as previous_author_id, p.created_at as previous_created_at,
    p.updated_at as previous_updated_at`
} as const

/** A property of a version as it is shown, which leaves out an empty sort key. */
const shownEntry = ({ sort, ...entry }: PropertyMutation): PropertyMutation =>
  sort === undefined || sort === "" ? entry : { ...entry, sort }

export const versionOf = (row: VersionRow, people: Resolved): NodeVersion => ({
  id: row.id,
  created_at: toTimestamp(row.created_at),
  updated_at: toTimestamp(row.updated_at),
  author: people.get(row.author_id),
  status: row.status,
  node_id: row.node_id,
  name: row.name,
  slug: row.slug,
  ...(row.description === null ? {} : { description: row.description }),
  ...(row.content === null ? {} : { content: row.content }),
  properties: row.properties.map(shownEntry),
  meta: row.meta
})

/** The version that was applied before that of the row, if there is one. */
export const previousOf = (row: FoundRow, people: Resolved): NodeVersion["previous"] =>
  row.previous_id === null
    ? undefined
    : {
        id: row.previous_id,
        created_at: toTimestamp(row.previous_created_at),
        updated_at: toTimestamp(row.previous_updated_at),
        author: people.get(row.previous_author_id),
        status: "applied"
      }

/** The row that a statement answers about a locked version, which cannot be missing. */
export const lockedRow = <Row>(row: Row | undefined) =>
  row === undefined ? Effect.die(new Error("A version that is locked is gone")) : Effect.succeed(row)
