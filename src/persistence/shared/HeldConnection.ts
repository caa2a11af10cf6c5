/** The connection of a request that keeps open what it writes until its answer is known. */
import { Context, Effect, Exit, Scope, Semaphore, Stream } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import type { Turns } from "../../domain/queue/Turns.ts"
import { InTransaction } from "../../domain/storage/Transaction.ts"
import { keepTurn } from "./KeptTurn.ts"

type Connection = SqlConnection.Connection
type Transform = Parameters<Connection["execute"]>[2]

/** The open transaction: its connection, and the scope that the connection and the turns end with. */
interface Open {
  readonly connection: Connection
  readonly scope: Scope.Closeable
}

const noStreams = new Error("What is read in parts is read on connections of its own")

const notOpen = new Error("The transaction of the request has ended")

const hasRolledBack = (result: unknown) =>
  typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"

const commitFailed = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("COMMIT rolled back an aborted transaction"),
    message: "COMMIT rolled back an aborted transaction",
    operation: "commit"
  })
})

/**
 * A connection that is taken when something is first written. What is written by one statement, or in one inner
 * transaction, is a unit: the first begins the transaction, and if it fails the connection is given back; a later one
 * that fails leaves what was written before it.
 */
export class HeldConnection implements Connection {
  readonly #reserve: Effect.Effect<Connection, SqlError.SqlError, Scope.Scope>
  readonly #turn: Effect.Effect<void, never, Scope.Scope>
  readonly #units = Semaphore.makeUnsafe(1)
  /** Turns that are kept until the connection is given back, by their names. */
  #turns = new Set<string>()
  #scope: Scope.Closeable | undefined
  #open: Open | undefined
  #begun = 0
  #hasWritten = false
  #hasEnded = false

  constructor(
    reserve: Effect.Effect<Connection, SqlError.SqlError, Scope.Scope>,
    turn: Effect.Effect<void, never, Scope.Scope>
  ) {
    this.#reserve = reserve
    this.#turn = turn
  }

  /** The connection on which the request reads what it has written, if it has written anything. */
  get reads(): Connection | undefined {
    return this.#hasWritten && !this.#hasEnded ? this.#open?.connection : undefined
  }

  /** When it began to write what is not yet committed. */
  get since(): number | undefined {
    return this.reads === undefined ? undefined : this.#begun
  }

  /** Whether transactions are still parts of this one: what outlives the request has others. */
  get isUsable(): boolean {
    return !this.#hasEnded
  }

  /** Runs an inner transaction. */
  unit<A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> {
    return this.#units.withPermit(Effect.andThen(this.#begin, transaction))
  }

  /** Waits in a queue, and keeps the turn as long as what is written is open. */
  queued<A, E, R>(turns: Turns, name: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      if (this.#turns.has(name)) return write
      // Who holds locks already does not keep others waiting for a turn, too.
      if (this.#open !== undefined || this.#hasEnded) return turns(name, write)
      const scope = this.#scopeOf()
      return Effect.andThen(
        Effect.tap(Scope.provide(keepTurn(turns, name), scope), () =>
          Effect.sync(() => this.#turns.add(name))
        ),
        write
      )
    })
  }

  /**
   * Does now what the database does when a transaction is committed: the rest of the request reads its effects. From then
   * on it is done after each statement.
   */
  readonly settle: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() =>
    this.#hasWritten ? Effect.void : this.#control("SET CONSTRAINTS ALL IMMEDIATE")
  )

  /** Begins an inner transaction; the first one is the transaction itself. */
  savepoint(id: number): Effect.Effect<void, SqlError.SqlError> {
    return this.#isFirst(id) ? Effect.void : this.#control(`SAVEPOINT unit_${id}`)
  }

  undoSavepoint(id: number): Effect.Effect<void, SqlError.SqlError> {
    return this.#isFirst(id) ? this.rollback : this.#control(`ROLLBACK TO SAVEPOINT unit_${id}`)
  }

  releaseSavepoint(id: number): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.#open === undefined) return Effect.void
      if (!this.#isFirst(id)) return this.#control(`RELEASE SAVEPOINT unit_${id}`)
      this.#hasWritten = true
      return Effect.void
    })
  }

  readonly commit: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() => {
    const connection = this.#open?.connection
    if (connection === undefined) return Effect.void
    return Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
      hasRolledBack(result) ? Effect.fail(commitFailed) : Effect.void
    )
  })

  readonly rollback: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() => {
    if (this.#open === undefined) return Effect.void
    return Effect.ensuring(
      // A connection that has been lost has nothing to undo, and is not used again.
      Effect.catch(this.#control("ROLLBACK"), (error) =>
        error.reason._tag === "ConnectionError" ? Effect.void : Effect.fail(error)
      ),
      this.#giveBack
    )
  })

  /** Ends the use of the connection. */
  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    this.#hasEnded = true
    return this.#giveBack
  })

  execute(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.#statement((connection) => connection.execute(sql, params, transform))
  }

  executeUnprepared(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.#statement((connection) => connection.executeUnprepared(sql, params, transform))
  }

  executeRaw(sql: string, params: ReadonlyArray<unknown>) {
    return this.#statement((connection) => connection.executeRaw(sql, params))
  }

  executeValues(sql: string, params: ReadonlyArray<unknown>) {
    return this.#statement((connection) => connection.executeValues(sql, params))
  }

  executeValuesUnprepared(sql: string, params: ReadonlyArray<unknown>) {
    return this.#statement((connection) => connection.executeValuesUnprepared(sql, params))
  }

  executeStream() {
    return Stream.die(noStreams)
  }

  #isFirst(id: number) {
    return id === 1 && !this.#hasWritten
  }

  #scopeOf(): Scope.Closeable {
    this.#scope ??= Scope.makeUnsafe()
    return this.#scope
  }

  #control(text: string): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() =>
      this.#open === undefined
        ? Effect.void
        : Effect.asVoid(this.#open.connection.executeUnprepared(text, [], undefined))
    )
  }

  readonly #giveBack: Effect.Effect<void> = Effect.suspend(() => {
    const scope = this.#scope
    this.#scope = undefined
    this.#open = undefined
    this.#turns = new Set()
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  })

  /** Takes a connection, in the turn of the account, and begins the transaction, unless it has begun. */
  readonly #begin: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() => {
    if (this.#open !== undefined) return Effect.void
    const scope = this.#scopeOf()
    this.#begun = performance.now()
    const taken = Effect.andThen(this.#turn, this.#reserve)
    const begun = Effect.flatMap(taken, (connection) =>
      Effect.map(connection.executeUnprepared("BEGIN", [], undefined), () => {
        this.#open = { connection, scope }
      })
    )
    return Effect.onError(Scope.provide(begun, scope), () => this.#giveBack)
  })

  #statement<A>(
    run: (connection: Connection) => Effect.Effect<A, SqlError.SqlError>
  ): Effect.Effect<A, SqlError.SqlError> {
    return Effect.flatMap(InTransaction, (isWithin) => {
      const open = this.#open
      if (isWithin && open !== undefined) return run(open.connection)
      // What goes on after the request writes on a connection of its own.
      if (this.#hasEnded) return Effect.scoped(Effect.flatMap(this.#reserve, run))
      return this.#units.withPermit(this.#alone(run))
    })
  }

  /** Runs a statement outside of inner transactions, which is a unit by itself. */
  #alone<A>(
    run: (connection: Connection) => Effect.Effect<A, SqlError.SqlError>
  ): Effect.Effect<A, SqlError.SqlError> {
    return Effect.suspend(() => {
      const isFirst = !this.#hasWritten
      const before = isFirst ? this.#begin : this.#control("SAVEPOINT unit_alone")
      const undone = isFirst ? this.rollback : this.#control("ROLLBACK TO SAVEPOINT unit_alone")
      const statement = Effect.suspend(() =>
        this.#open === undefined
          ? Effect.die(notOpen)
          : Effect.tap(run(this.#open.connection), () => this.settle)
      )
      return Effect.andThen(
        before,
        Effect.matchCauseEffect(statement, {
          onFailure: (cause) => Effect.andThen(Effect.ignore(undone), Effect.failCause(cause)),
          onSuccess: (rows) =>
            Effect.sync(() => {
              this.#hasWritten = true
              return rows
            })
        })
      )
    })
  }
}

/** The connection of the running request that holds what it writes. */
export const CurrentHeld = Context.Reference<HeldConnection | undefined>("forum/persistence/CurrentHeld", {
  defaultValue: () => undefined
})
