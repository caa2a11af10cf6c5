import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Turns } from "../../domain/queue/Turns.ts"
import { accountIdOf, CurrentActor } from "../../domain/shared/Actor.ts"
import { InTransaction, Transaction, WriteQueue } from "../../domain/storage/Transaction.ts"
import { inLockOrder } from "./Locks.ts"
import { orDefect } from "./SqlErrors.ts"
import { WriteTurns } from "./WriteTurns.ts"

/** Lets an account's transaction wait for its turn; one without an account has none to wait for. */
const inTurn =
  (turns: Turns) =>
  <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.serviceOption(CurrentActor), (actor) => {
      const account = Option.isSome(actor) ? accountIdOf(actor.value) : undefined
      return account === undefined ? write : turns(account, write)
    })

/** Transactions on the connections of this client, whose locks are taken in order. */
export const make = (sql: SqlClient.SqlClient, turns?: Turns) => {
  const turn = turns === undefined ? undefined : inTurn(turns)
  return Transaction.of((writes) =>
    inLockOrder(orDefect(sql.withTransaction(Effect.provideService(writes, InTransaction, true))), turn)
  )
}

const transactions = Layer.effect(
  Transaction,
  Effect.gen(function* () {
    const { ofAccount } = yield* WriteTurns
    return make(yield* SqlClient.SqlClient, ofAccount)
  })
)

const queue = Layer.effect(
  WriteQueue,
  Effect.map(WriteTurns, ({ ofRow }) => WriteQueue.of(ofRow))
)

export const layer = Layer.mergeAll(transactions, queue)
