/** Keeps the counts of published threads in the transaction that changes them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { countChanges, type Placement } from "../../domain/thread/ThreadCounts.ts"
import { makeCategoryCounts } from "../category/CategoryCounts.ts"
import { locking } from "../shared/Locks.ts"
import { makeTagWriter } from "../tag/TagWriter.ts"

// As many as `thread_totals` has rows.
const shards = 16
const shardOf = (id: string) => (id.charCodeAt(18) + id.charCodeAt(17)) % shards

export const makeThreadCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const countCategories = yield* makeCategoryCounts
  const tags = yield* makeTagWriter

  /** Changes the counts from what the thread was to what it is. */
  return Effect.fnUntraced(function* (
    threadId: string,
    before: Placement | undefined,
    after: Placement | undefined
  ) {
    const changes = countChanges(before, after)
    if (changes.total !== 0) {
      yield* locking("thread total")(
        sql`update thread_totals set published = published + ${changes.total} where shard = ${shardOf(threadId)}`
      )
    }
    yield* tags.count(changes.tags)
    yield* countCategories(changes.categories)
  })
})
