/** Puts new texts into their place in the indexes of texts, so that no request that writes one has to. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { orDefect } from "../shared/SqlErrors.ts"

// Any number that no other program on the same database is likely to lock.
const advisoryLock = 7_316_202_624

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /**
   * Merges what new texts add to the indexes. PostgreSQL collects it in a list, and would merge it in the request that
   * fills the list.
   */
  const merge = sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local statement_timeout = 0`
      yield* sql`set local lock_timeout = 0`
      // In small parts, so that what is done stays done if this ends early.
      yield* sql`set local maintenance_work_mem = '8MB'`
      yield* sql`select gin_clean_pending_list(indexrelid) from pg_index
        where indexrelid in ('search_texts_replies'::regclass, 'search_texts_titled'::regclass, 'search_texts_nodes'::regclass)
          and (select pg_try_advisory_xact_lock(${advisoryLock}::bigint))`
    })
  )

  return { merge: Effect.asVoid(orDefect(merge)) } as const
})

export class SearchIndex extends Context.Service<SearchIndex, Effect.Success<typeof make>>()(
  "forum/persistence/SearchIndex"
) {
  static readonly layer = Layer.effect(SearchIndex, make)
}
