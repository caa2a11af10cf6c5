/** Where the cluster lies, and as whom it is served. */

import { mkdirSync, realpathSync, statSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { attempt, failed } from "./EmbeddedPostgresError.ts"
import { ownerOf } from "./Files.ts"
import { existingHome, makeHome, usualParents } from "./Instance.ts"
import {
  type Account,
  canReach,
  namespacesWork,
  type RunAs,
  type Strategy,
  unprivilegedAccount
} from "./RunAs.ts"

export interface Place {
  readonly dataDir: string
  /** The directory around the cluster: `dataDir`, or one outside that an unprivileged account can reach. */
  readonly home: string
  readonly cluster: string
  readonly runAs: RunAs
}

export interface PlaceOptions {
  /** As whom PostgreSQL runs; found out when absent. */
  readonly runAs?: Strategy | undefined
  /** Where to put what an unprivileged account cannot reach under the data directory. */
  readonly outside?: ReadonlyArray<string> | undefined
}

export const clusterIn = (home: string) => join(home, "postgres")

export const makeDataDirectory = (path: string) =>
  attempt(`could not make ${path}`, () => {
    mkdirSync(path, { recursive: true, mode: 0o711 })
    return realpathSync(path)
  })

const self: RunAs = { strategy: "self" }

/** initdb asks the system for its user's name, but containers may run under a number that has none. */
const hasName = () => {
  try {
    return userInfo().username !== ""
  } catch {
    return false
  }
}

/** The unprivileged account to which an existing cluster belongs. */
const clusterOwner = (home: string): Account | undefined => {
  const cluster = clusterIn(home)
  return (ownerOf(cluster) ?? 0) > 0 ? statSync(cluster) : undefined
}

const choose = (owner: Account | undefined, wanted: Strategy | undefined): RunAs | undefined => {
  const isRoot = process.getuid?.() === 0
  const account = unprivilegedAccount()
  if (wanted === "self") return self
  if (wanted === "namespace") return account && { strategy: "namespace", account }
  if (wanted === undefined) {
    if (process.getuid === undefined || (!isRoot && hasName())) return self
    // The files of an existing cluster decide: PostgreSQL serves it only as their owner.
    if (!(isRoot && owner) && account && namespacesWork(account)) return { strategy: "namespace", account }
    if (!isRoot) return self
  }
  const user = owner ?? account
  return user && { strategy: "system-user", account: { uid: user.uid, gid: user.gid } }
}

/** Finds the place of a data directory's cluster, also when there is none yet. */
export const findPlace = Effect.fnUntraced(function* (dataDir: string, options: PlaceOptions) {
  const parents = options.outside ?? usualParents
  const outside = yield* attempt("could not read its place", () => existingHome(dataDir, parents))
  const runAs = choose(clusterOwner(outside ?? dataDir), options.runAs)
  if (runAs === undefined)
    return yield* failed("it refuses to run as root", "there is no account named postgres, nobody or daemon")
  const place = (home: string): Place => ({ dataDir, home, cluster: clusterIn(home), runAs })
  if (runAs.strategy !== "system-user") return place(dataDir)
  if (outside !== undefined) return place(outside)
  if (canReach(runAs.account, dataDir)) return place(dataDir)
  return place(
    yield* attempt("could not find a place for its files", () => makeHome(dataDir, parents, runAs.account))
  )
})
