/** The clients of reads, which have no transactions. Several short ones share a connection. */
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"
import { type Reading, readReplica } from "./CurrentReplica.ts"
import { CurrentHeld } from "./HeldConnection.ts"

/** The statements that a connection was given. Those that it has answered come first. */
interface Pipeline {
  readonly pipelineInFlight: Array<unknown>
  /** How many of the statements are answered. */
  pipelineHead: number
}

// Fields of the driver's own, which it may rename; a test shows that what is answered is forgotten.
const isPipeline = (connection: object): connection is Pipeline =>
  "pipelineInFlight" in connection &&
  Array.isArray(connection.pipelineInFlight) &&
  "pipelineHead" in connection &&
  typeof connection.pipelineHead === "number"

// Removing each by itself would take longer than to keep a few.
const answeredMax = 32

/**
 * Removes from the pipeline of a connection what it has answered. The driver keeps the rows of every statement until
 * nothing is under way on the connection (`@effect/sql-pg` 4.0.5): on one that is always busy, memory would grow
 * without end.
 */
const forgetAnswered = (connection: object): void => {
  if (!isPipeline(connection) || connection.pipelineHead < answeredMax) return
  connection.pipelineInFlight.splice(0, connection.pipelineHead)
  connection.pipelineHead = 0
}

const notShared = new Error("Transactions and streams need a connection of their own")

type Transform = Parameters<SqlConnection.Connection["execute"]>[2]

class SharedConnection implements SqlConnection.Connection {
  readonly #connection: PgConnection.PgConnection

  constructor(connection: PgConnection.PgConnection) {
    this.#connection = connection
  }

  #rows(sql: string, params: ReadonlyArray<unknown>, transform: Transform, prepare: boolean) {
    return Effect.map(this.#connection.query(sql, params, prepare), ({ rows }) =>
      transform === undefined ? rows : transform(rows)
    )
  }

  execute(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.#rows(sql, params, transform, true)
  }

  executeUnprepared(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.#rows(sql, params, transform, false)
  }

  executeRaw(sql: string, params: ReadonlyArray<unknown>) {
    return this.#connection.query(sql, params)
  }

  executeValues(sql: string, params: ReadonlyArray<unknown>) {
    return this.#connection.queryValues(sql, params)
  }

  executeValuesUnprepared(sql: string, params: ReadonlyArray<unknown>) {
    return this.#connection.queryValues(sql, params, false)
  }

  executeStream() {
    return Stream.die(notShared)
  }
}

const reading: Reading = (pool, read) =>
  pool.use((connection) => {
    forgetAnswered(connection)
    return read(new SharedConnection(connection))
  })

const noTransactions = {
  driver: "pg",
  compiler: PgClient.makeCompiler(),
  acquirer: Effect.die(notShared),
  spanAttributes: [["db.system.name", "postgresql"]]
} as const

/** A client without transactions, over a pool whose connections have several statements under way. */
export const makeQuickReads = Effect.fnUntraced(function* (options: PgPool.Config) {
  const pool = yield* PgPool.make(options)
  return yield* SqlClient.make({
    ...noTransactions,
    borrower: (read) =>
      Effect.flatMap(CurrentHeld, (held) => {
        // Who has written reads what was written, where it is not yet committed.
        const own = held?.reads
        return own === undefined ? readReplica("quick", reading, pool, read) : read(own)
      })
  })
})

/** A client without transactions, each statement of which has a connection to itself. */
export const makeSlowReads = Effect.fnUntraced(function* (options: PgPool.Config) {
  const pool = yield* PgPool.make(options)
  return yield* SqlClient.make({
    ...noTransactions,
    borrower: (read) => readReplica("slow", reading, pool, read)
  })
})
