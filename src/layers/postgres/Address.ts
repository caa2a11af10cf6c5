/** Where clients find the server: the same for as long as the service runs. */

import { chmodSync, chownSync, lstatSync, mkdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { attempt, type EmbeddedPostgresError, failed } from "./EmbeddedPostgresError.ts"
import { shortName } from "./Instance.ts"
import type { Place } from "./Place.ts"
import { canReach } from "./RunAs.ts"

export interface Address {
  /** A directory that holds the socket, or an IP address. */
  readonly host: string
  readonly port: number
}

export type Transport = "socket" | "tcp"

/** The port only completes the name of a socket. */
const socketPort = 5432

/** A socket's path has to fit 104 bytes on macOS and 108 on Linux, with a closing zero. */
const fits = (directory: string) => Buffer.byteLength(join(directory, `.s.PGSQL.${socketPort}`)) < 104

const temporaryDirectory = ({ dataDir, runAs }: Place) => {
  const reachable = (path: string) => runAs.strategy !== "system-user" || canReach(runAs.account, path)
  return [tmpdir(), "/tmp", "/var/tmp"]
    .filter(reachable)
    .map((parent) => join(parent, `forum-${shortName(dataDir)}`))
    .find(fits)
}

const makeTemporaryDirectory = (directory: string, { runAs }: Place) => {
  const user = runAs.strategy === "system-user" ? runAs.account.uid : process.getuid?.()
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const found = lstatSync(directory)
  // Anyone can write to the directory around it.
  if (!found.isDirectory() || (found.uid !== user && found.uid !== process.getuid?.()))
    throw new Error(`${directory} belongs to someone else`)
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

/** Chooses an address: the cluster's own directory, else a short temporary one, else a free port. */
export const chooseAddress = Effect.fnUntraced(function* (place: Place, transport: Transport | undefined) {
  if (transport === "tcp" || process.platform === "win32") return yield* freePort
  if (fits(place.cluster)) return { host: place.cluster, port: socketPort }
  const directory = yield* attempt("could not name its socket", () => temporaryDirectory(place))
  if (directory === undefined) return yield* freePort
  yield* Effect.acquireRelease(
    attempt("could not make a directory for its socket", () => makeTemporaryDirectory(directory, place)),
    () => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )
  return { host: directory, port: socketPort }
})

export const isSocket = ({ host }: Address) => host.startsWith("/")
