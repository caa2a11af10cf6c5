/**
 * Starts a PostgreSQL for each worker of the run, with a template database of which each test file makes a clone.
 *
 * Within a server, a transaction of one database holds back the event log of all others, so that files which ran beside
 * each other on one server would wait for each other, by chance.
 */

import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { type Connection, start } from "../../src/layers/postgres/EmbeddedPostgres.ts"
import { migrate } from "../../src/persistence/shared/Migrations.ts"
import type { TestServer } from "./servers.ts"

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

const serverIn = (dataDir: string) => start({ dataDir, settings })

/** A directory with a server that has the template, and as many copies of it as are needed. */
const prepareDirectories = Effect.fnUntraced(function* (root: string, count: number) {
  const [first = root, ...others] = Array.from({ length: count }, (_, n) => join(root, String(n)))
  yield* Effect.scoped(Effect.flatMap(serverIn(first), prepareTemplate))
  // With the owner of the files, who need not be who runs the tests.
  for (const other of others) execFileSync("cp", ["-a", first, other])
  return [first, ...others]
})

const startAll = Effect.fnUntraced(function* (root: string, count: number) {
  const directories = yield* prepareDirectories(root, count)
  const connections = yield* Effect.forEach(directories, serverIn, { concurrency: "unbounded" })
  return connections.map(
    ({ host, password, port, username }): TestServer => ({
      host,
      port,
      username,
      password: Redacted.value(password)
    })
  )
})

export default async function setup({ provide, vitest }: TestProject) {
  const root = mkdtempSync(join(directory(), "forum-test-"))
  // An unprivileged account may serve the data, and must be able to reach it.
  chmodSync(root, 0o711)
  const scope = Scope.makeUnsafe()
  const close = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(root, { recursive: true, force: true })
  }
  const workers = Math.max(...vitest.projects.map(({ config }) => Number(config.maxWorkers)))
  const run = startAll(root, workers).pipe(
    Scope.provide(scope),
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
  try {
    provide("postgres", await Effect.runPromise(run))
    return close
  } catch (cause) {
    await close()
    throw cause
  }
}
