/** Where the cluster is stored, and which user runs PostgreSQL. */

import { realpathSync, statSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { makeDirectory } from "../../persistence/shared/makeDirectory.ts"
import { defaultParents, existingHome, makeHome } from "./DataDirectoryId.ts"
import { attempt, failed } from "./EmbeddedPostgresError.ts"
import { ownerOf } from "./Files.ts"
import {
  canReach,
  namespacesWork,
  type RunAs,
  type Strategy,
  type SystemAccount,
  unprivilegedAccount
} from "./RunAs.ts"

export interface ClusterLocation {
  readonly dataDir: string
  /** The parent directory of the cluster: `dataDir`, or another one that an unprivileged account can reach. */
  readonly home: string
  readonly cluster: string
  readonly runAs: RunAs
}

export interface LocationOptions {
  /** How PostgreSQL is run when the service runs as root. Default: the first strategy that works. */
  readonly runAs?: Strategy | undefined
  /** Parents of the cluster's directory when an unprivileged account cannot reach the data directory. */
  readonly outside?: ReadonlyArray<string> | undefined
}

export const clusterIn = (home: string) => join(home, "postgres")

export const makeDataDirectory = (path: string) =>
  Effect.tryPromise({
    try: async () => {
      await makeDirectory(path, 0o711)
      return realpathSync(path)
    },
    catch: (cause) =>
      failed(`could not create ${path}`, cause instanceof Error ? cause.message : String(cause))
  })

const self: RunAs = { strategy: "self" }

/**
 * Whether the user of the service has a name, which initdb needs: a container may run under a user id that has none.
 */
const hasName = () => {
  try {
    return userInfo().username !== ""
  } catch {
    return false
  }
}

/** The unprivileged account that owns an existing cluster. */
const clusterOwner = (home: string): SystemAccount | undefined => {
  const cluster = clusterIn(home)
  return (ownerOf(cluster) ?? 0) > 0 ? statSync(cluster) : undefined
}

const choose = (owner: SystemAccount | undefined, wanted: Strategy | undefined): RunAs | undefined => {
  const isRoot = process.getuid?.() === 0
  const account = unprivilegedAccount()
  if (wanted === "self") return self
  if (wanted === "namespace") return account && { strategy: "namespace", account }
  if (wanted === undefined) {
    if (process.getuid === undefined || (!isRoot && hasName())) return self
    // PostgreSQL refuses to run on files of another user, so the owner of an existing cluster decides.
    if (!(isRoot && owner) && account && namespacesWork(account)) return { strategy: "namespace", account }
    if (!isRoot) return self
  }
  const user = owner ?? account
  return user && { strategy: "system-user", account: { uid: user.uid, gid: user.gid } }
}

/** Finds the cluster of a data directory, or decides where to create it. */
export const findLocation = Effect.fnUntraced(function* (dataDir: string, options: LocationOptions) {
  const parents = options.outside ?? defaultParents
  const outside = yield* attempt("could not find its files", () => existingHome(dataDir, parents))
  const runAs = choose(clusterOwner(outside ?? dataDir), options.runAs)
  if (runAs === undefined)
    return yield* failed("it refuses to run as root", "there is no account named postgres, nobody or daemon")
  const at = (home: string): ClusterLocation => ({ dataDir, home, cluster: clusterIn(home), runAs })
  if (runAs.strategy !== "system-user") return at(dataDir)
  if (outside !== undefined) return at(outside)
  if (canReach(runAs.account, dataDir)) return at(dataDir)
  return at(
    yield* attempt("could not create a directory for its files", () =>
      makeHome(dataDir, parents, runAs.account)
    )
  )
})
