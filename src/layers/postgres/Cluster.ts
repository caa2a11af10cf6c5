/** The cluster: PostgreSQL's files, made on the first start, whole or not at all. */

import { randomBytes } from "node:crypto"
import { chmodSync, cpSync, existsSync, lchownSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Binaries } from "./Binaries.ts"
import { attempt } from "./EmbeddedPostgresError.ts"
import { overwrite, ownerOf, readText, renameDurably, visitTree, writePrivate } from "./Files.ts"
import { clearLeftovers, endStrays } from "./Leftovers.ts"
import { clusterIn, type Place } from "./Place.ts"
import { runProgram } from "./Program.ts"

export const username = "forum"
export const database = "forum"

const accessRules = `# Written by the service: everyone needs the password.
local all all              scram-sha-256
host  all all 127.0.0.1/32 scram-sha-256
`

const unfinished = "postgres.new-"

const passwordFile = ({ dataDir }: Place) => join(dataDir, "postgres.password")

const giveToAccount = ({ runAs }: Place, path: string) => {
  if (runAs.strategy !== "system-user") return
  const { gid, uid } = runAs.account
  // The top comes last: as long as it has its old owner, an interrupted change is taken up again.
  visitTree(path, (entry) => lchownSync(entry, uid, gid))
}

/** Removes what interrupted attempts left, of which one may be just ending. */
const removeUnfinished = Effect.fnUntraced(function* ({ home }: Place) {
  const directories = yield* attempt("could not look for unfinished ones", () =>
    readdirSync(home)
      .filter((name) => name.startsWith(unfinished))
      .map((name) => join(home, name))
  )
  for (const directory of directories) {
    yield* endStrays(directory)
    yield* attempt("could not remove an unfinished one", () =>
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
    )
  }
})

/** A directory beside the cluster, to become it. */
const makeUnfinished = (place: Place) => {
  const directory = mkdtempSync(join(place.home, unfinished))
  chmodSync(directory, 0o700)
  giveToAccount(place, directory)
  return directory
}

/** Lets the database's owner in by a new password, without a running server. */
const setPassword = Effect.fnUntraced(function* (
  place: Place,
  { postgres }: Binaries,
  cluster: string,
  { fsync, more }: { readonly fsync: "on" | "off"; readonly more: string } = { fsync: "on", more: "" }
) {
  const password = randomBytes(24).toString("base64url")
  const statements = `alter role ${username} password '${password}';\n${more}`
  const settings = ["-c", "exit_on_error=on", "-c", `fsync=${fsync}`]
  yield* runProgram(
    "could not set its password",
    place.runAs,
    [postgres, "--single", "-D", cluster, ...settings, "postgres"],
    statements
  )
  yield* attempt("could not store its password", () => writePrivate(passwordFile(place), password))
})

const initialise = Effect.fnUntraced(function* (place: Place, { initdb }: Binaries, cluster: string) {
  const withLocale = (...locale: ReadonlyArray<string>) =>
    runProgram("initdb failed", place.runAs, [
      initdb,
      ...["-D", cluster, "-U", username, "--encoding=UTF8", "--locale-provider=builtin", ...locale],
      // Nobody can connect before the rules below are written.
      ...["--auth=trust", "--no-sync", "--no-instructions"]
    ])
  // The builtin provider compares and folds. What else depends on a locale, above all which letters a text
  // search knows, takes the system's C.UTF-8; a system without it has to do with C.
  yield* withLocale("--locale=C.UTF-8").pipe(
    Effect.catch(() => withLocale("--builtin-locale=C.UTF-8", "--locale=C"))
  )
})

/** With the directory entry itself this makes a cluster safe from a power cut. */
const syncToDisk = (place: Place, { initdb }: Binaries, cluster: string) =>
  runProgram("could not write it to disk", place.runAs, [initdb, "--sync-only", "-D", cluster])

const create = Effect.fnUntraced(function* (place: Place, binaries: Binaries) {
  yield* Effect.logInfo(`Creating the database in ${place.cluster}`)
  const directory = yield* attempt("could not make its directory", () => makeUnfinished(place))
  yield* initialise(place, binaries, directory)
  // Written to disk as a whole below.
  yield* setPassword(place, binaries, directory, { fsync: "off", more: `create database ${database};\n` })
  yield* attempt("could not write its access rules", () =>
    overwrite(join(directory, "pg_hba.conf"), accessRules)
  )
  yield* syncToDisk(place, binaries, directory)
  yield* attempt("could not put it in place", () => renameDurably(directory, place.cluster))
})

/** A cluster that was served from the data directory, before its files went out of reach. */
const moveOutside = Effect.fnUntraced(function* (place: Place, binaries: Binaries) {
  const former = clusterIn(place.dataDir)
  yield* Effect.logWarning(
    `Moving the database from ${former} to ${place.cluster}, where PostgreSQL can read it`
  )
  yield* clearLeftovers(former)
  const directory = yield* attempt("could not copy its files", () => {
    const copy = makeUnfinished(place)
    cpSync(former, copy, { recursive: true, verbatimSymlinks: true })
    giveToAccount(place, copy)
    return copy
  })
  yield* syncToDisk(place, binaries, directory)
  yield* attempt("could not put it in place", () => {
    renameDurably(directory, place.cluster)
    renameDurably(former, `${former}.moved`)
  })
})

/** Makes the cluster ready to be served, and gives the password to it. */
export const prepareCluster = Effect.fnUntraced(function* (place: Place, binaries: Binaries) {
  const { cluster, dataDir, home, runAs } = place
  yield* removeUnfinished(place)
  if (!existsSync(cluster)) {
    const isElsewhere = home !== dataDir && existsSync(clusterIn(dataDir))
    yield* isElsewhere ? moveOutside(place, binaries) : create(place, binaries)
  }
  yield* clearLeftovers(cluster)
  if (runAs.strategy === "system-user" && ownerOf(cluster) !== runAs.account.uid)
    yield* attempt("could not hand over its files", () => giveToAccount(place, cluster))
  if (!existsSync(passwordFile(place))) yield* setPassword(place, binaries, cluster)
  return yield* attempt("could not read its password", () => readText(passwordFile(place)) ?? "")
})
