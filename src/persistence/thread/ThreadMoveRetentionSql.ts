/** Forgets where threads were in lists a long time ago. A walk that is older goes on by where they are. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { orDefect } from "../shared/SqlErrors.ts"

/** Days for which it is known where a thread was. */
export const moveRetentionDays = 30

const batchMax = 1000

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Deletes the oldest moves that may go, at most a batch of them. Answers how many. */
  const deleteBatch = sql`with oldest as (
      select id, moved_at from thread_moves order by id limit ${batchMax} for update skip locked
    )
    delete from thread_moves
    where id in (select id from oldest where moved_at < now() - make_interval(days => ${moveRetentionDays}))
    returning id`.pipe(
    Effect.map((rows) => rows.length),
    orDefect
  )

  /** Deletes moves that are older than the retention. */
  const apply = deleteBatch.pipe(Effect.repeat({ while: (deleted) => deleted === batchMax }), Effect.asVoid)

  return { apply } as const
})

export class ThreadMoveRetention extends Context.Service<ThreadMoveRetention, Effect.Success<typeof make>>()(
  "forum/persistence/ThreadMoveRetention"
) {
  static readonly layer = Layer.effect(ThreadMoveRetention, make)
}
