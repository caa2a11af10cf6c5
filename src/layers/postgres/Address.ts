/** Chooses the address that clients connect to. It does not change while the service runs. */

import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { ClusterLocation } from "./ClusterLocation.ts"
import { shortName } from "./DataDirectoryId.ts"
import { attempt, type EmbeddedPostgresError, failed } from "./EmbeddedPostgresError.ts"
import { canReach } from "./RunAs.ts"

export interface Address {
  /** The directory of a Unix socket, or an IP address. */
  readonly host: string
  readonly port: number
}

export type Transport = "socket" | "tcp"

/** The port that goes with a Unix socket, where it is only a part of the file name. */
const socketPort = 5432

/**
 * Whether the path of a socket in a directory is short enough: the limit is 104 bytes on macOS and 108 on Linux,
 * including the final zero byte.
 */
const fits = (directory: string) => Buffer.byteLength(join(directory, `.s.PGSQL.${socketPort}`)) < 104

const temporaryDirectory = ({ dataDir, runAs }: ClusterLocation) => {
  const reachable = (path: string) => runAs.strategy !== "system-user" || canReach(runAs.account, path)
  return [tmpdir(), "/tmp", "/var/tmp"]
    .filter(reachable)
    .map((parent) => join(parent, `forum-${shortName(dataDir)}`))
    .find(fits)
}

const makeTemporaryDirectory = (directory: string, { runAs }: ClusterLocation) => {
  const user = runAs.strategy === "system-user" ? runAs.account.uid : process.getuid?.()
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const found = lstatSync(directory)
  // Every user can write to the parent directory, so another one may have created this path first.
  if (!found.isDirectory() || (found.uid !== user && found.uid !== process.getuid?.()))
    throw new Error(`${directory} belongs to another user`)
  chmodSync(directory, 0o700)
  if (runAs.strategy === "system-user") chownSync(directory, runAs.account.uid, runAs.account.gid)
}

const freePort = Effect.callback<Address, EmbeddedPostgresError>((resume) => {
  const probe = createServer()
  probe.once("error", (cause) => resume(Effect.fail(failed("there is no free port", cause.message))))
  probe.listen(0, "127.0.0.1", () => {
    const bound = probe.address()
    const port = bound !== null && typeof bound === "object" ? bound.port : 0
    probe.close(() => resume(Effect.succeed({ host: "127.0.0.1", port })))
  })
})

/** Chooses an address: a socket in the cluster's directory, else one in a temporary directory, else a free port. */
export const chooseAddress = Effect.fnUntraced(function* (
  location: ClusterLocation,
  transport: Transport | undefined
) {
  if (transport === "tcp" || process.platform === "win32") return yield* freePort
  if (fits(location.cluster)) return { host: location.cluster, port: socketPort }
  const directory = yield* attempt("could not choose a directory for its socket", () =>
    temporaryDirectory(location)
  )
  if (directory === undefined) return yield* freePort
  yield* Effect.acquireRelease(
    attempt("could not create a directory for its socket", () => makeTemporaryDirectory(directory, location)),
    () => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )
  return { host: directory, port: socketPort }
})

export const isSocket = ({ host }: Address) => host.startsWith("/")
