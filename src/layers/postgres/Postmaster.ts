/** Runs the server once, from its start to its exit. */

import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { Deferred, Effect } from "effect"
import { type Address, isSocket } from "./Address.ts"
import type { Binaries } from "./Binaries.ts"
import type { ClusterLocation } from "./ClusterLocation.ts"
import { attempt, failed } from "./EmbeddedPostgresError.ts"
import { spawnArguments } from "./RunAs.ts"
import { openLog } from "./ServerLog.ts"
import { readPidFile, removeStaleSockets, shutDown, stopStaleServer, waitUntil } from "./StaleServer.ts"

export interface Server {
  readonly location: ClusterLocation
  readonly binaries: Binaries
  readonly address: Address
  readonly settings: Readonly<Record<string, string>>
}

const defaultSettings = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  max_connections: "60",
  shared_buffers: "192MB",
  // Solid state disks: random reads cost about as much as sequential ones, and many can be in progress at once.
  random_page_cost: "1.1",
  effective_io_concurrency: "64",
  // Compilation takes longer than the short queries of the service.
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  log_min_messages: "warning",
  // Keeps personal data out of the log: no statements, and no details of violated constraints.
  log_min_error_statement: "panic",
  log_error_verbosity: "terse"
}

/** A path in quotes, as a value of a setting that is a list. */
const quoted = (path: string) => `"${path.replaceAll('"', '""')}"`

const listening = (address: Address) =>
  isSocket(address)
    ? { listen_addresses: "", unix_socket_directories: quoted(address.host), unix_socket_permissions: "0700" }
    : { listen_addresses: address.host, unix_socket_directories: "" }

const spawnServer = ({ address, binaries, location, settings }: Server) => {
  const log = openLog(location.dataDir)
  const all = { ...defaultSettings, ...settings, ...listening(address), port: `${address.port}` }
  const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  const command = spawnArguments(location.runAs, "INT", binaries.postgres, ["-D", location.cluster, ...flags])
  const ended = Deferred.makeUnsafe<string>()
  const end = (how: string) => Deferred.doneUnsafe(ended, Effect.succeed(how))
  // Detached, because Ctrl-C in a terminal must not reach the server: the service stops it after its last request.
  const child = spawn(command.file, command.args, {
    ...command.options,
    detached: true,
    stdio: ["ignore", log.file, log.file]
  })
  closeSync(log.file)
  child.once("error", (cause) => end(cause.message))
  child.once("exit", (code, signal) => end(`exit status ${code ?? signal}`))
  return { pid: child.pid ?? 0, log, ended, hasEnded: () => Deferred.isDoneUnsafe(ended) }
}

/** Starts the server and waits until it accepts connections. It stops when the scope closes. */
export const startServer = Effect.fnUntraced(function* (server: Server) {
  const { address, location } = server
  yield* stopStaleServer(location.cluster)
  const running = yield* Effect.acquireRelease(
    attempt("could not start it", () => {
      if (isSocket(address)) removeStaleSockets(address.host)
      return spawnServer(server)
    }),
    ({ hasEnded, pid }) => shutDown(pid, hasEnded)
  )
  yield* waitUntil(() => {
    const pidFile = readPidFile(location.cluster)
    return running.hasEnded() || (pidFile?.pid === running.pid && pidFile.ready)
  })
  /** Fails when the server has exited by itself. */
  const untilEnd = Effect.flatMap(Deferred.await(running.ended), (how) =>
    Effect.fail(failed("it exited", `${running.log.newText()}\n${how}`))
  )
  if (running.hasEnded()) return yield* untilEnd
  return untilEnd
})
