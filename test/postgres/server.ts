/** Servers, and the statements that tests run on them. */

import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, References, Schedule } from "effect"
import { type Connection, type Options, start } from "../../src/layers/postgres/EmbeddedPostgres.ts"

export const isRoot = process.getuid?.() === 0

/** Survives killed processes, but not a power failure. */
export const settings = { fsync: "off", shared_buffers: "16MB" }

/** Starts a server, uses it, and stops it. */
export const serving = <A, E, R>(options: Options, use: (connection: Connection) => Effect.Effect<A, E, R>) =>
  start({ settings, ...options }).pipe(
    Effect.flatMap(use),
    Effect.scoped,
    Effect.provideService(References.MinimumLogLevel, "None")
  )

const withClient = <A, E, R>(connection: Connection, use: Effect.Effect<A, E, R>) =>
  use.pipe(Effect.provide(PgClient.layer({ ...connection, maxConnections: 2 })))

export const createNotes = (connection: Connection) =>
  withClient(
    connection,
    PgClient.PgClient.use((sql) => sql`create table note (text text)`)
  )

export const note = (connection: Connection, text: string) =>
  withClient(
    connection,
    PgClient.PgClient.use((sql) => sql`insert into note values (${text})`)
  )

/** Runs a statement as it is written, without parameters. */
export const run = (connection: Connection, statement: string) =>
  withClient(
    connection,
    PgClient.PgClient.use((sql) => sql.unsafe(statement))
  )

export const notes = (connection: Connection) =>
  withClient(
    connection,
    PgClient.PgClient.use((sql) =>
      sql<{ readonly text: string }>`select text from note order by text`.pipe(
        Effect.map((rows) => rows.map((row) => row.text))
      )
    )
  )

export const keepBusy = (connection: Connection) =>
  withClient(
    connection,
    PgClient.PgClient.use((sql) => sql`select count(*) from generate_series(1, 10000000000)`)
  )

export const setting = (connection: Connection, name: string) =>
  withClient(
    connection,
    PgClient.PgClient.use((sql) =>
      sql<{ readonly value: string }>`select current_setting(${name}) as value`.pipe(
        Effect.map(([row]) => row?.value)
      )
    )
  )

/** Retries for about ten seconds. */
export const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, { schedule: Schedule.spaced("20 millis"), times: 500 })

/** The process id of the server. */
export const postmasterOf = (home: string) =>
  Number(readFileSync(join(home, "postgres", "postmaster.pid"), "utf8").split("\n")[0])

/** The ids of the processes whose working directory this is. */
export const processesIn = (directory: string) =>
  readdirSync("/proc").filter((name) => {
    try {
      return Number(name) > 0 && realpathSync(`/proc/${name}/cwd`) === directory
    } catch {
      return false
    }
  })
