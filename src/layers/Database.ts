/** The database: `DATABASE_URL`, or else the embedded PostgreSQL under `DATA_DIR`; migrated before anyone uses it. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { migrate } from "../persistence/shared/Migrations.ts"
import * as EmbeddedPostgres from "./postgres/EmbeddedPostgres.ts"
import { Settings } from "./Settings.ts"

export const applicationName = "forum-service"

const session = {
  timezone: "UTC",
  // Every statement is planned once: what differs from call to call is which rows, not how many.
  plan_cache_mode: "force_generic_plan",
  // A statement that takes longer is given up in the database too.
  statement_timeout: "10s",
  idle_in_transaction_session_timeout: "60s"
}

/** How the service connects, wherever the server is. */
export const clientOptions = {
  applicationName,
  startupParameters: session,
  // Short statements of many requests share connections; transactions have one to themselves.
  multiplex: true
} satisfies PgClient.PgClientConfig

export const client = Layer.unwrap(
  Effect.gen(function* () {
    const { databasePool, databaseUrl, dataDir } = yield* Settings
    const server =
      databaseUrl === undefined ? yield* EmbeddedPostgres.start({ dataDir }) : { url: databaseUrl }
    return PgClient.layer({ ...clientOptions, ...server, maxConnections: databasePool })
  })
)

export const migrations = Layer.effectDiscard(migrate)

export const live = migrations.pipe(Layer.provideMerge(client))
