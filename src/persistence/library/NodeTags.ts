import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { NodeId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { countChanges } from "../../domain/thread/ThreadCounts.ts"
import { idsOf } from "../shared/Query.ts"
import { makeTagWriter } from "../tag/TagWriter.ts"

/** Keeps which tags nodes have, and counts those of published nodes. */
export const makeNodeTags = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tags = yield* makeTagWriter

  const tagsOf = (id: NodeId) =>
    idsOf(sql<{ readonly id: string }>`select tag_id as id from node_tags where node_id = ${id}`)

  const placed = (visibility: Visibility, tagIds: ReadonlyArray<string>) => ({
    visibility,
    categoryId: null,
    tagIds
  })

  /** Makes these the tags of a node. */
  const set = Effect.fnUntraced(function* (
    { id, visibility }: { readonly id: NodeId; readonly visibility: Visibility },
    names: ReadonlyArray<string>,
    at: Date
  ) {
    const before = yield* tagsOf(id)
    const after = yield* tags.resolve(names, at)
    const removed = before.filter((tag) => !after.includes(tag))
    const added = after.filter((tag) => !before.includes(tag))
    if (removed.length > 0) {
      yield* sql`delete from node_tags where node_id = ${id} and tag_id = any(${removed}::text[])`
    }
    if (added.length > 0) {
      yield* sql`insert into node_tags (node_id, tag_id) select ${id}, unnest(${added}::text[])`
    }
    yield* tags.count(countChanges(placed(visibility, before), placed(visibility, after)).tags)
  })

  /** Counts a node that has these tags and whose visibility has changed, or which has been deleted. */
  const recount = (tagIds: ReadonlyArray<string>, before: Visibility, after: Visibility | undefined) =>
    tags.count(
      countChanges(placed(before, tagIds), after === undefined ? undefined : placed(after, tagIds)).tags
    )

  return { tagsOf, set, recount } as const
})
