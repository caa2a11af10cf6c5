/** One run of the server, from its start to its end. */

import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { Deferred, Effect } from "effect"
import { type Address, isSocket } from "./Address.ts"
import type { Binaries } from "./Binaries.ts"
import { attempt, failed } from "./EmbeddedPostgresError.ts"
import { clearLeftovers, clearSockets, readPidFile, shutDown, waitUntil } from "./Leftovers.ts"
import type { Place } from "./Place.ts"
import { commandAs } from "./RunAs.ts"
import { openLog } from "./ServerLog.ts"

export interface Server {
  readonly place: Place
  readonly binaries: Binaries
  readonly address: Address
  readonly settings: Readonly<Record<string, string>>
}

const usualSettings = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  max_connections: "60",
  shared_buffers: "192MB",
  // Solid state disks: any page costs about the same, and many can be asked for at once.
  random_page_cost: "1.1",
  effective_io_concurrency: "64",
  // Compiling takes longer than the short queries of a service.
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  log_min_messages: "warning",
  // What people wrote and their addresses stay out of the log: no statements, no details of violated rules.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse"
}

/** The setting is a list, in which a path may need quotes. */
const quoted = (path: string) => `"${path.replaceAll('"', '""')}"`

const listening = (address: Address) =>
  isSocket(address)
    ? { listen_addresses: "", unix_socket_directories: quoted(address.host), unix_socket_permissions: "0700" }
    : { listen_addresses: address.host, unix_socket_directories: "" }

const spawnServer = ({ address, binaries, place, settings }: Server) => {
  const log = openLog(place.dataDir)
  const all = { ...usualSettings, ...settings, ...listening(address), port: `${address.port}` }
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const command = commandAs(place.runAs, "INT", binaries.postgres, ["-D", place.cluster, ...flags])
  const ended = Deferred.makeUnsafe<string>()
  const end = (how: string) => Deferred.doneUnsafe(ended, Effect.succeed(how))
  // Detached, since a Ctrl-C in the terminal must reach the service only, which stops the server when it has
  // finished its requests.
  const child = spawn(command.file, command.args, {
    ...command.options,
    detached: true,
    stdio: ["ignore", log.file, log.file]
  })
  closeSync(log.file)
  child.once("error", (cause) => end(cause.message))
  child.once("exit", (code, signal) => end(`ended with ${code ?? signal}`))
  return { pid: child.pid ?? 0, log, ended, hasEnded: () => Deferred.isDoneUnsafe(ended) }
}

/** Starts the server, waits until it accepts connections, and stops it with the scope. */
export const startServer = Effect.fnUntraced(function* (server: Server) {
  const { address, place } = server
  yield* clearLeftovers(place.cluster)
  const running = yield* Effect.acquireRelease(
    attempt("could not start it", () => {
      if (isSocket(address)) clearSockets(address.host)
      return spawnServer(server)
    }),
    ({ hasEnded, pid }) => shutDown(pid, hasEnded)
  )
  yield* waitUntil(() => {
    const said = readPidFile(place.cluster)
    return running.hasEnded() || (said?.pid === running.pid && said.ready)
  })
  /** Fails when the server has ended by itself. */
  const untilEnd = Effect.flatMap(Deferred.await(running.ended), (how) =>
    Effect.fail(failed("it ended", `${running.log.sinceThen()}\n${how}`))
  )
  if (running.hasEnded()) return yield* untilEnd
  return untilEnd
})
