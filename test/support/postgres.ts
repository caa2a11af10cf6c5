/** Starts one PostgreSQL for the run and leaves a template database in it, from which each test file makes its own. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { type Connection, start } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { migrate } from "../../src/persistence/shared/Migrations.ts"

/** How test files reach the server; `PgClient` takes it with the password redacted and a database added. */
export interface TestServer {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: TestServer
  }
}

const template = "template_forum"

/** A database as the service finds it after its migrations. */
const prepareTemplate = (connection: Connection) =>
  PgClient.PgClient.use((sql) => sql`create database ${sql(template)}`).pipe(
    Effect.provide(PgClient.layer({ ...connection, maxConnections: 1 })),
    Effect.andThen(
      Effect.provide(migrate, PgClient.layer({ ...connection, database: template, maxConnections: 1 }))
    )
  )

/** Nothing here outlives the run, so nothing has to survive a power cut. */
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "200"
}

export default async function setup({ provide }: TestProject) {
  const dataDir = mkdtempSync(join(tmpdir(), "forum-test-"))
  // Where root cannot make namespaces, an unprivileged account serves the data, and has to get there.
  chmodSync(dataDir, 0o711)
  const scope = Scope.makeUnsafe()
  const close = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(dataDir, { recursive: true, force: true })
  }
  const run = start({ dataDir, settings }).pipe(
    Effect.tap(prepareTemplate),
    Scope.provide(scope),
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
  try {
    const { host, password, port, username } = await Effect.runPromise(run)
    provide("postgres", { host, port, username, password: Redacted.value(password) })
    return close
  } catch (cause) {
    await close()
    throw cause
  }
}
