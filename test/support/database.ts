/** Databases on the server of the run: each test file has its own, cloned from a migrated template. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { clientOptions } from "../../src/layers/wiring/Database.ts"
import * as Connections from "../../src/persistence/shared/Connections.ts"
import { testServer } from "./servers.ts"
import { inTime } from "./waiting.ts"

const optionsFor = (database: string, maxConnections: number) => {
  const server = testServer()
  return { ...clientOptions, ...server, password: Redacted.make(server.password), database, maxConnections }
}

/** Runs statements on the server, connected to another database than the test's. */
const onServer = <A, E>(run: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.provide(PgClient.PgClient.use(run), PgClient.layer(optionsFor("postgres", 1))))

let databases = 0

/** Copies files, which takes a third of the time that writing them to the log takes. */
const create = (name: string) =>
  onServer((sql) => sql`create database ${sql(name)} template template_forum strategy file_copy`)

const drop = (name: string) => onServer((sql) => sql`drop database ${sql(name)} with (force)`)

/** Pools look for idle connections once a minute. Where a test lets a year pass, that would be half a million times. */
const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** A database as it is after the migrations, of its own for every test that builds this layer. */
export const fresh = Layer.unwrap(
  Effect.gen(function* () {
    const name = `test_${process.pid}_${databases++}`
    yield* Effect.acquireRelease(create(name), () => Effect.orDie(drop(name)))
    return Layer.provide(Connections.layer(optionsFor(name, 8)), realTime)
  })
)

/** Runs an effect while the test's database closes and refuses every connection. */
export const whileUnreachable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [current] = yield* sql<{ readonly name: string }>`select current_database() as name`
    const name = current?.name ?? ""
    const allow = (allowed: boolean) =>
      onServer((sql) =>
        Effect.andThen(
          sql`alter database ${sql(name)} with allow_connections ${sql.literal(String(allowed))}`,
          sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
        )
      )
    return yield* Effect.acquireUseRelease(
      allow(false),
      () => effect,
      () => Effect.orDie(allow(true))
    )
  })

/** Waits until so many connections to the test's database wait for locks. */
export const untilWaiting = (count: number) =>
  // Within a transaction, PostgreSQL would answer the same each time.
  Connections.QuickReads.use((reads) =>
    inTime(
      `not ${count} connections wait for locks`,
      reads<{ readonly waiting: number }>`select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.pipe(
        Effect.repeat({ until: ([row]) => row?.waiting === count })
      )
    )
  )

/** What the database does for a statement where it may not read whole tables or sort. */
export const planByIndex = (statement: string) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        for (const way of ["seqscan", "sort", "incremental_sort", "bitmapscan"]) {
          yield* sql.unsafe(`set local enable_${way} = off`)
        }
        return JSON.stringify(yield* sql.unsafe(`explain ${statement}`))
      })
    )
  )
