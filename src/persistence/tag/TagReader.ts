import { Effect } from "effect"
import type { TagId } from "../../domain/shared/Id.ts"
import { type TagReference, tagColour } from "../../domain/vocabulary/Tag.ts"
import { QuickReads } from "../shared/Connections.ts"
import { cacheByVersion } from "../shared/cacheByVersion.ts"
import { all, isOneOf } from "../shared/Query.ts"

interface TagRow {
  readonly id: TagId
  readonly name: string
  readonly item_count: number
}

// A tag takes about 200 bytes.
const kept = 10_000

/** Reads tags for pages that show them, not older than a version of tags and categories that was read before. */
export const makeTagReader = Effect.map(QuickReads, (sql) =>
  cacheByVersion(kept, (ids: ReadonlyArray<TagId>) =>
    Effect.map(
      all(sql<TagRow>`select id, name, item_count from tags where ${isOneOf(sql, "id", ids)}`),
      (rows) =>
        rows.map(({ id, item_count, name }): readonly [TagId, TagReference] => [
          id,
          { name, colour: tagColour(name), item_count }
        ])
    )
  )
)

const byName = (a: TagReference, b: TagReference) => (a.name < b.name ? -1 : 1)

/** The tags with these ids that were found, ordered by name. */
export const tagsOf = (
  found: ReadonlyMap<TagId, TagReference>,
  ids: ReadonlyArray<TagId>
): ReadonlyArray<TagReference> => ids.flatMap((id) => found.get(id) ?? []).sort(byName)
