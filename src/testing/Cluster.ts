/**
 * A PostgreSQL server for one forum of a test. What a server begins with is made once and kept in the user's cache; each
 * forum copies it, into memory where there is room. Its files go with the scope, or with the process, however that ends.
 */
import { execFile, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync
} from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { Effect, References } from "effect"
import { type Connection, start } from "../layers/postgres/EmbeddedPostgres.ts"
import { migrate } from "../persistence/shared/Migrations.ts"
import { install, searchPath } from "./Resetting.ts"

/** What the tests leave need not survive a crash, and nothing may go on beside them. */
const settings = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  autovacuum: "off",
  max_wal_size: "128MB",
  min_wal_size: "32MB",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_connections: "40",
  shared_buffers: "64MB"
}

/** What a forum takes in memory, several times over. */
const roomNeeded = 512 * 1024 ** 2

/** A directory in memory, where there is enough of it. */
const fastDirectory = (): string => {
  const inMemory = "/dev/shm"
  if (!existsSync(inMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize >= roomNeeded ? inMemory : tmpdir()
}

const cacheDirectory = () => join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "forum-service")

const schema = new URL("../persistence/schema/", import.meta.url)
const itself = ["Cluster", "Resetting"]

/** What the prepared files depend on. */
const keyOf = () => {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${process.getuid?.()}`)
  for (const name of readdirSync(schema).sort()) hash.update(readFileSync(new URL(name, schema)))
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"
  for (const name of itself) hash.update(readFileSync(new URL(`${name}.${extension}`, import.meta.url)))
  return hash.digest("hex").slice(0, 16)
}

const copy = (from: string, to: string) =>
  Effect.promise(() => promisify(execFile)("cp", ["-a", "--reflink=auto", from, to]))

const clientOptions = ({ database, host, password, port, username }: Connection) => ({
  host,
  port,
  username,
  password,
  database,
  startupParameters: { timezone: "UTC", search_path: searchPath },
  maxConnections: 1
})

/** Makes the files that each server begins with: a database with the schema of the service. */
const prepare = Effect.fnUntraced(function* (to: string) {
  const scratch = mkdtempSync(join(fastDirectory(), "forum-testing-new-"))
  chmodSync(scratch, 0o711)
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(scratch, { recursive: true, force: true })))
  const dataDir = join(scratch, "data")
  const filling = Effect.flatMap(start({ dataDir, settings }), (connection) =>
    Effect.provide(Effect.andThen(install, migrate), PgClient.layer(clientOptions(connection)))
  )
  yield* Effect.scoped(filling)
  const parent = cacheDirectory()
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const beside = mkdtempSync(join(parent, "new-"))
  yield* copy(dataDir, join(beside, "data"))
  // Another process may have been as quick.
  if (!existsSync(to)) renameSync(beside, to)
  else rmSync(beside, { recursive: true, force: true })
}, Effect.scoped)

/** The prepared files, which are made by whoever needs them first. */
const prepared = Effect.gen(function* () {
  const path = join(cacheDirectory(), `testing-${keyOf()}`)
  if (!existsSync(path)) yield* prepare(path)
  return join(path, "data")
})

/** Waits until its standard input ends, which it does with this process; then stops the server and removes the files. */
const guard = `cat >/dev/null
file="$1/data/postgres/postmaster.pid"
[ -e "$file" ] && kill -INT "$(head -n 1 "$file")" 2>/dev/null
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -e "$file" ] || break; sleep 0.5; done
rm -rf "$1" || { sleep 1; rm -rf "$1"; }`

/** A directory that goes with the scope, and also with the process. */
export const guardedDirectory = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(fastDirectory(), "forum-testing-"))
    // An unprivileged account may serve the data, and must be able to reach it.
    chmodSync(path, 0o711)
    const child = spawn("sh", ["-c", guard, "sh", path], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"]
    })
    child.unref()
    return { path, child }
  }),
  ({ child, path }) =>
    Effect.sync(() => {
      rmSync(path, { recursive: true, force: true })
      child.stdin.destroy()
    })
).pipe(Effect.map(({ path }) => path))

/** Starts a server in a directory, as long as the scope is open. */
export const startServer = Effect.fnUntraced(
  function* (directory: string) {
    const dataDir = join(directory, "data")
    yield* copy(yield* prepared, dataDir)
    return yield* start({ dataDir, settings })
  },
  Effect.provideService(References.MinimumLogLevel, "Warn")
)
