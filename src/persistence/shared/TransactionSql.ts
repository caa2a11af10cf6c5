import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Turns } from "../../domain/queue/Turns.ts"
import { accountIdOf, CurrentActor } from "../../domain/shared/Actor.ts"
import {
  AfterCommit,
  HeldTransaction,
  InTransaction,
  Transaction,
  UnsettledReads,
  WriteQueue
} from "../../domain/storage/Transaction.ts"
import { CurrentHeld, HeldConnection } from "./HeldConnection.ts"
import { keepTurn } from "./KeptTurn.ts"
import { inLockOrder } from "./Locks.ts"
import { orDefect } from "./SqlErrors.ts"
import { WriteTurns } from "./WriteTurns.ts"

/** The account whose turn a transaction waits for; one without an account has none to wait for. */
const accountOf = Effect.map(Effect.serviceOption(CurrentActor), (actor) =>
  Option.isSome(actor) ? accountIdOf(actor.value) : undefined
)

/** Lets an account's transaction wait for its turn. */
const inTurn =
  (turns: Turns) =>
  <A, E, R>(write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(accountOf, (account) => (account === undefined ? write : turns(account, write)))

type Connection = Effect.Success<SqlClient.SqlClient["reserve"]>

const heldOf = (connection: Connection | undefined): Effect.Effect<HeldConnection> =>
  connection instanceof HeldConnection
    ? Effect.succeed(connection)
    : Effect.die(new Error("Only requests that hold what they write have such transactions"))

/** Makes transactions of requests that hold what they write, which are parts of one. */
const makeHeld = (sql: SqlClient.SqlClient, turns: Turns | undefined) => {
  const turn =
    turns === undefined
      ? Effect.void
      : Effect.flatMap(accountOf, (account) =>
          account === undefined ? Effect.void : keepTurn(turns, account)
        )
  const make = Effect.sync(() => new HeldConnection(sql.reserve, turn))

  return SqlClient.makeWithTransaction<SqlClient.TransactionConnection, Connection>({
    transactionService: sql.transactionService,
    spanAttributes: [],
    acquireConnection: () => Effect.acquireRelease(make, (held) => held.end),
    begin: () => Effect.void,
    savepoint: (connection, id) => Effect.flatMap(heldOf(connection), (held) => held.savepoint(id)),
    rollbackSavepoint: (connection, id) =>
      Effect.flatMap(heldOf(connection), (held) => held.undoSavepoint(id)),
    releaseSavepoint: (connection, id) =>
      Effect.flatMap(heldOf(connection), (held) => held.releaseSavepoint(id)),
    commit: (connection) => Effect.flatMap(heldOf(connection), (held) => held.commit),
    rollback: (connection) => Effect.flatMap(heldOf(connection), (held) => held.rollback)
  })
}

/** Runs a transaction that is part of what a request holds; one inside another is part of that one. */
const partOf = <A, E, R>(
  current: HeldConnection,
  writes: Effect.Effect<A, E, R>,
  held: ReturnType<typeof makeHeld>
) =>
  Effect.flatMap(InTransaction, (isWithin) =>
    isWithin ? held(writes) : current.unit(held(Effect.tap(writes, () => current.settle)))
  )

/** Runs something on connections of its own, whatever its fiber holds. */
const apartFrom =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateContext(effect, (context: Context.Context<R>) =>
      // What is left out is nothing that the effect requires.
      Context.makeUnsafe<R>(
        new Map([...context.mapUnsafe].filter(([key]) => key !== sql.transactionService.key))
      )
    )

/** Transactions on the connections of this client, whose locks are taken in order. */
export const make = (sql: SqlClient.SqlClient, turns?: Turns, held = makeHeld(sql, turns)) => {
  const turn = turns === undefined ? undefined : inTurn(turns)
  const apart = apartFrom(sql)
  return Transaction.of((writes) => {
    const within = Effect.provideService(writes, InTransaction, true)
    return Effect.flatMap(CurrentHeld, (current) => {
      // The turn of what is held is kept with its connection, beyond this part.
      if (current?.isUsable === true) return inLockOrder(orDefect(partOf(current, within, held)))
      const own = inLockOrder(orDefect(sql.withTransaction(within)), turn)
      return current === undefined ? own : apart(own)
    })
  })
}

const holding = (sql: SqlClient.SqlClient, held: ReturnType<typeof makeHeld>) => {
  const apart = apartFrom(sql)
  return HeldTransaction.of((work, finish) =>
    Effect.suspend(() => {
      const keeps: Array<() => void> = []
      const whole = Effect.flatMap(Effect.serviceOption(sql.transactionService), (level) =>
        Effect.flatMap(heldOf(Option.isSome(level) ? level.value[0] : undefined), (current) =>
          Effect.flatMap(
            work.pipe(
              Effect.provideService(CurrentHeld, current),
              Effect.provideService(UnsettledReads, {
                since: () => current.since,
                whenCommitted: (keep) => {
                  keeps.push(keep)
                }
              })
            ),
            (outcome) =>
              current.reads === undefined
                ? apart(finish(outcome))
                : Effect.provideService(finish(outcome), InTransaction, true)
          )
        )
      )
      const committed = () =>
        Effect.sync(() => {
          for (const keep of keeps) keep()
        })
      return Effect.tap(orDefect(held(whole)), committed)
    })
  )
}

const transactions = Layer.effectContext(
  Effect.gen(function* () {
    const { ofAccount } = yield* WriteTurns
    const sql = yield* SqlClient.SqlClient
    const held = makeHeld(sql, ofAccount)
    return Context.make(Transaction, make(sql, ofAccount, held)).pipe(
      Context.add(HeldTransaction, holding(sql, held)),
      Context.add(AfterCommit, AfterCommit.of(sql.afterCommit))
    )
  })
)

const queue = Layer.effect(
  WriteQueue,
  Effect.map(WriteTurns, ({ ofRow }) =>
    WriteQueue.of((id, write) =>
      Effect.flatMap(CurrentHeld, (held) =>
        held?.isUsable === true ? held.queued(ofRow, id, write) : ofRow(id, write)
      )
    )
  )
)

export const layer = Layer.mergeAll(transactions, queue)
