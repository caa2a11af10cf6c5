/** Keeps the counts of published threads in the transaction that changes them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { countChanges, type PlaceChange, type Placement } from "../../domain/thread/ThreadCounts.ts"
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

  const countOfAuthor = (authorId: string) =>
    Effect.fnUntraced(function* ({ by, categoryId }: PlaceChange) {
      yield* locking("author total")(
        by === 1
          ? sql`insert into author_totals as t (author_id, category_id, published)
              values (${authorId}, ${categoryId}, 1)
              on conflict (author_id, category_id) do update set published = t.published + 1`
          : sql`update author_totals set published = published - 1
              where author_id = ${authorId} and category_id is not distinct from ${categoryId}`
      )
    })

  /** Changes the counts from what the thread was to what it is. */
  return Effect.fnUntraced(function* (
    { authorId, threadId }: { readonly authorId: string; readonly threadId: string },
    before: Placement | undefined,
    after: Placement | undefined
  ) {
    const changes = countChanges(before, after)
    if (changes.total !== 0) {
      yield* locking("thread total")(
        sql`update thread_totals set published = published + ${changes.total} where shard = ${shardOf(threadId)}`
      )
    }
    yield* Effect.forEach(changes.places, countOfAuthor(authorId), { discard: true })
    yield* tags.count(changes.tags)
    yield* countCategories(changes.categories)
  })
})
