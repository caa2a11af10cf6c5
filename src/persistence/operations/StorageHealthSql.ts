import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { StorageHealth } from "../../domain/operations/StorageHealth.ts"
import { StorageUnavailable } from "../../domain/storage/StorageProblem.ts"
import { EventConsumers } from "../event/EventConsumersSql.ts"

const timeLimit = "2 seconds"

// These states are always listed, so that a metric returns to zero when its last connection leaves the state.
const states = ["active", "idle", "idle in transaction", "idle in transaction (aborted)"]

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const consumers = yield* EventConsumers

  const orUnavailable = <A, E>(effect: Effect.Effect<A, E>) =>
    effect.pipe(
      Effect.timeout(timeLimit),
      Effect.catchCause(() => Effect.fail(new StorageUnavailable({ metadata: { retry_after: 1 } })))
    )

  const connections = Effect.map(
    sql<{ readonly state: string; readonly count: number }>`
      select coalesce(state, 'unknown') as state, count(*)::int as count from pg_stat_activity
      where application_name = current_setting('application_name') and datname = current_database()
      group by 1`,
    (rows) =>
      new Map([
        ...states.map((state) => [state, 0] as const),
        ...rows.map(({ count, state }) => [state, count] as const)
      ])
  )

  return StorageHealth.of({
    check: orUnavailable(Effect.asVoid(sql`select 1`)),
    observe: orUnavailable(Effect.all({ connections, eventLag: consumers.observe }))
  })
})

export const layer = Layer.effect(StorageHealth, make)
