/** Keeps the counts of published threads in the transaction that changes them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  type Change,
  type CountChanges,
  countChanges,
  type Placement
} from "../../domain/thread/ThreadCounts.ts"

// As many as `thread_totals` has rows.
const shards = 16
const shardOf = (id: string) => (id.charCodeAt(18) + id.charCodeAt(17)) % shards

const idsBy = (changes: ReadonlyArray<Change>, by: Change["by"]) =>
  changes.filter((change) => change.by === by).map(({ id }) => id)

export const makeThreadCounts = Effect.map(SqlClient.SqlClient, (sql) => {
  // Two statements: one that locked in a CTE and updated from it deadlocked with its like under load.
  const countTags = Effect.fnUntraced(function* (changes: CountChanges["tags"]) {
    const ids = changes.map(({ id }) => id)
    yield* sql`select from tags where id = any(${ids}::text[]) order by id for no key update`
    yield* sql`update tags set item_count = item_count
      + case when id = any(${idsBy(changes, 1)}::text[]) then 1 else -1 end where id = any(${ids}::text[])`
  })

  const countCategory = ({ by, id }: Change) =>
    sql`update categories set post_count = post_count + ${by}, version = version + 1 where id = ${id}`

  /**
   * Moves the counts from what the thread was to what it is. Every writer
   * comes here last and takes total, tags and categories in this order, so
   * that none waits for another in a circle.
   */
  return Effect.fnUntraced(function* (
    threadId: string,
    before: Placement | undefined,
    after: Placement | undefined
  ) {
    const { categories, tags, total } = countChanges(before, after)
    if (total !== 0) {
      yield* sql`update thread_totals set published = published + ${total} where shard = ${shardOf(threadId)}`
    }
    if (tags.length > 0) yield* countTags(tags)
    yield* Effect.forEach(categories, countCategory, { discard: true })
  })
})
