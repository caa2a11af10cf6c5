/** A PostgreSQL of the bench's own, kept between runs, as the service would start it. */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { clientOptions } from "../src/layers/Database.ts"
import * as EmbeddedPostgres from "../src/layers/postgres/EmbeddedPostgres.ts"
import * as Connections from "../src/persistence/shared/Connections.ts"
import { migrate } from "../src/persistence/shared/Migrations.ts"
import { seed } from "./seed.ts"

export const dataDir = new URL("./data", import.meta.url).pathname

/** The server, by TCP so that every driver reaches it alike, migrated and seeded. */
export const start = Effect.gen(function* () {
  const server = yield* EmbeddedPostgres.start({
    dataDir,
    transport: "tcp",
    settings: { shared_preload_libraries: "pg_stat_statements" }
  })
  const url = `postgres://${server.username}:${Redacted.value(server.password)}@${server.host}:${server.port}/${server.database}`
  const client = Connections.layer({
    ...clientOptions,
    url: Redacted.make(url),
    maxConnections: 10,
    // Seeding takes as long as it takes.
    startupParameters: { ...clientOptions.startupParameters, statement_timeout: "0" }
  })
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate
    yield* sql`create extension if not exists pg_stat_statements`
    yield* seed
  }).pipe(Effect.provide(client), Effect.scoped)
  return { url, client }
})

/** Statements run so far, transaction control aside. */
export const statementCount = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{
    readonly calls: number
  }>`select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements
    where query !~* '^(begin|commit|rollback|set|show)' and query not like '%pg_stat_statements%'
      and query not like '%event_consumers%' and query not like '%from event_log%'`
).pipe(Effect.map(([row]) => row?.calls ?? 0))
