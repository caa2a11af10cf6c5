/** The PostgreSQL server of the bench, under `bench/data`, where it stays between runs. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as EmbeddedPostgres from "../src/layers/postgres/EmbeddedPostgres.ts"

const dataDir = new URL("./data", import.meta.url).pathname

const settings = {
  shared_preload_libraries: "pg_stat_statements",
  // Transaction control is not a statement of the service.
  "pg_stat_statements.track_utility": "off",
  // How long it takes until others are told of something counts from its commit.
  track_commit_timestamp: "on",
  // What the server does in the background would happen during some spans and not during others.
  autovacuum: "off",
  checkpoint_timeout: "1h",
  max_wal_size: "4GB"
}

export class Server extends Context.Service<
  Server,
  {
    readonly urlOf: (database: string) => string
    /** Runs an effect over connections of its own to a database, which end with it. */
    readonly within: (
      database: string
    ) => <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError.SqlError, Exclude<R, SqlClient.SqlClient>>
  }
>()("bench/Server") {}

/** Starts the server; the `SqlClient` is connected to a database that is not measured. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const started = yield* EmbeddedPostgres.start({ dataDir, transport: "tcp", settings })
    const urlOf = (database: string) =>
      `postgres://${started.username}:${Redacted.value(started.password)}@${started.host}:${started.port}/${database}`
    const client = (database: string) =>
      PgClient.layer({ url: Redacted.make(urlOf(database)), maxConnections: 1 })
    const extension = Layer.effectDiscard(
      SqlClient.SqlClient.use((sql) => sql`create extension if not exists pg_stat_statements`)
    )
    return Layer.mergeAll(
      extension.pipe(Layer.provideMerge(client(started.database))),
      Layer.succeed(Server, {
        urlOf,
        within: (database) => (effect) => Effect.provide(effect, client(database), { local: true })
      })
    )
  })
)
