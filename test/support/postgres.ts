/** Starts one PostgreSQL for the run, with a template database of which each test file makes a clone. */

import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
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

/** A migrated database. */
const prepareTemplate = (connection: Connection) =>
  PgClient.PgClient.use((sql) => sql`create database ${sql(template)}`).pipe(
    Effect.provide(PgClient.layer({ ...connection, maxConnections: 1 })),
    Effect.andThen(
      Effect.provide(migrate, PgClient.layer({ ...connection, database: template, maxConnections: 1 }))
    )
  )

/**
 * The data is deleted after the run, so it need not survive a crash. Commits are synchronous all the same: VACUUM marks
 * no page as visible to all before they are, and tests look at plans right after it.
 */
const settings = {
  fsync: "off",
  full_page_writes: "off",
  max_wal_size: "128MB",
  max_connections: "200"
}

/** What the databases of a run take at the same time, several times over. */
const roomNeeded = 2 * 1024 ** 3

/**
 * Where there is memory for it, files in memory: a database has over nine hundred, and hundreds of databases are made
 * and dropped. In memory that takes a tenth of the processor time that it takes on a disk.
 */
export const directory = (): string => {
  const inMemory = "/dev/shm"
  if (!existsSync(inMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize >= roomNeeded ? inMemory : tmpdir()
}

export default async function setup({ provide }: TestProject) {
  const dataDir = mkdtempSync(join(directory(), "forum-test-"))
  // An unprivileged account may serve the data, and must be able to reach it.
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
