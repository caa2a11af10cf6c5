import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SealedStateStore } from "../../domain/authentication/SealedStateStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { first, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"

export const layer = Layer.effect(
  SealedStateStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return SealedStateStore.of({
      key: Effect.flatMap(first(reads<{ readonly key: Uint8Array }>`select key from seal_key`), (row) =>
        row === undefined ? Effect.die(new Error("There is no key for seals")) : Effect.succeed(row.key)
      ),

      use: (proof, until) =>
        some(
          locking("sealed state")(sql`insert into sealed_states_used (proof, until)
            values (${proof}, ${toDate(until)}) on conflict do nothing returning proof`)
        ),

      forget: (before) => run(sql`delete from sealed_states_used where until <= ${toDate(before)}`)
    })
  })
)
