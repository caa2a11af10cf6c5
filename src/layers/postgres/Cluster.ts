/** The database cluster: PostgreSQL's files, created on the first start, completely or not at all. */

import { randomBytes } from "node:crypto"
import { chmodSync, cpSync, existsSync, lchownSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Binaries } from "./Binaries.ts"
import { type ClusterLocation, clusterIn } from "./ClusterLocation.ts"
import { runCommand } from "./Command.ts"
import { attempt } from "./EmbeddedPostgresError.ts"
import { overwrite, ownerOf, readText, renameDurably, visitTree, writePrivate } from "./Files.ts"
import { killRemainingProcesses, stopStaleServer } from "./StaleServer.ts"

export const username = "forum"
export const database = "forum"

const accessRules = `# Written by the service: every connection needs the password.
local all all              scram-sha-256
host  all all 127.0.0.1/32 scram-sha-256
`

const unfinished = "postgres.new-"

export const passwordFile = ({ dataDir }: Pick<ClusterLocation, "dataDir">) =>
  join(dataDir, "postgres.password")

const giveToAccount = ({ runAs }: ClusterLocation, path: string) => {
  if (runAs.strategy !== "system-user") return
  const { gid, uid } = runAs.account
  // The top directory comes last: while it has its old owner, the next start repeats an interrupted change.
  visitTree(path, (entry) => lchownSync(entry, uid, gid))
}

/** Removes the directories of interrupted attempts; an initdb may still be running in one of them. */
const removeUnfinished = Effect.fnUntraced(function* ({ home }: ClusterLocation) {
  const directories = yield* attempt("could not list unfinished clusters", () =>
    readdirSync(home)
      .filter((name) => name.startsWith(unfinished))
      .map((name) => join(home, name))
  )
  for (const directory of directories) {
    yield* killRemainingProcesses(directory)
    yield* attempt("could not remove an unfinished cluster", () =>
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
    )
  }
})

/** A directory that is renamed to become the cluster when it is complete. */
const makeUnfinished = (location: ClusterLocation) => {
  const directory = mkdtempSync(join(location.home, unfinished))
  chmodSync(directory, 0o700)
  giveToAccount(location, directory)
  return directory
}

/** Gives the owner of the database a new password, without a running server. */
const setPassword = Effect.fnUntraced(function* (
  location: ClusterLocation,
  { postgres }: Binaries,
  cluster: string,
  { fsync, more }: { readonly fsync: "on" | "off"; readonly more: string } = { fsync: "on", more: "" }
) {
  const password = randomBytes(24).toString("base64url")
  const statements = `alter role ${username} password '${password}';\n${more}`
  const settings = ["-c", "exit_on_error=on", "-c", `fsync=${fsync}`]
  yield* runCommand(
    "could not set its password",
    location.runAs,
    [postgres, "--single", "-D", cluster, ...settings, "postgres"],
    statements
  )
  yield* attempt("could not store its password", () => writePrivate(passwordFile(location), password))
})

const initialise = Effect.fnUntraced(function* (
  location: ClusterLocation,
  { initdb }: Binaries,
  cluster: string
) {
  const withLocale = (...locale: ReadonlyArray<string>) =>
    runCommand("initdb failed", location.runAs, [
      initdb,
      ...["-D", cluster, "-U", username, "--encoding=UTF8", "--locale-provider=builtin", ...locale],
      // No server accepts connections before the access rules below are written.
      ...["--auth=trust", "--no-sync", "--no-instructions"]
    ])
  // The builtin provider defines comparison and case mapping. Full text search also asks the C library which
  // characters are letters, so the cluster prefers the system's C.UTF-8 and falls back to C where that is missing.
  yield* withLocale("--locale=C.UTF-8").pipe(
    Effect.catch(() => withLocale("--builtin-locale=C.UTF-8", "--locale=C"))
  )
})

/** Writes a new cluster to disk. Together with the durable rename, this makes it survive a power failure. */
const syncToDisk = (location: ClusterLocation, { initdb }: Binaries, cluster: string) =>
  runCommand("could not write it to disk", location.runAs, [initdb, "--sync-only", "-D", cluster])

const create = Effect.fnUntraced(function* (location: ClusterLocation, binaries: Binaries) {
  yield* Effect.logInfo(`Creating the database in ${location.cluster}`)
  const directory = yield* attempt("could not create its directory", () => makeUnfinished(location))
  yield* initialise(location, binaries, directory)
  // Everything is synced to disk below.
  yield* setPassword(location, binaries, directory, { fsync: "off", more: `create database ${database};\n` })
  yield* attempt("could not write its access rules", () =>
    overwrite(join(directory, "pg_hba.conf"), accessRules)
  )
  yield* syncToDisk(location, binaries, directory)
  yield* attempt("could not rename it", () => renameDurably(directory, location.cluster))
})

/** Moves a cluster out of the data directory, because the account that now runs PostgreSQL cannot reach it there. */
const moveOutside = Effect.fnUntraced(function* (location: ClusterLocation, binaries: Binaries) {
  const former = clusterIn(location.dataDir)
  yield* Effect.logWarning(
    `Moving the database from ${former} to ${location.cluster}, where PostgreSQL can read it`
  )
  yield* stopStaleServer(former)
  const directory = yield* attempt("could not copy its files", () => {
    const copy = makeUnfinished(location)
    cpSync(former, copy, { recursive: true, verbatimSymlinks: true })
    giveToAccount(location, copy)
    return copy
  })
  yield* syncToDisk(location, binaries, directory)
  yield* attempt("could not rename it", () => {
    renameDurably(directory, location.cluster)
    renameDurably(former, `${former}.moved`)
  })
})

/** Creates, moves or repairs the cluster so that a server can start on it. Returns the password. */
export const prepareCluster = Effect.fnUntraced(function* (location: ClusterLocation, binaries: Binaries) {
  const { cluster, dataDir, home, runAs } = location
  yield* removeUnfinished(location)
  if (!existsSync(cluster)) {
    const isElsewhere = home !== dataDir && existsSync(clusterIn(dataDir))
    yield* isElsewhere ? moveOutside(location, binaries) : create(location, binaries)
  }
  yield* stopStaleServer(cluster)
  if (runAs.strategy === "system-user" && ownerOf(cluster) !== runAs.account.uid)
    yield* attempt("could not change the owner of its files", () => giveToAccount(location, cluster))
  if (!existsSync(passwordFile(location))) yield* setPassword(location, binaries, cluster)
  return yield* attempt("could not read its password", () => readText(passwordFile(location)) ?? "")
})
