/** What an earlier run left behind, when it or PostgreSQL was killed. */

import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { attempt, failed } from "./EmbeddedPostgresError.ts"
import { overwrite, readText } from "./Files.ts"

const pidFile = (cluster: string) => join(cluster, "postmaster.pid")

/** What the running server says of itself: its process and whether it accepts connections. */
export const readPidFile = (cluster: string) => {
  const lines = readText(pidFile(cluster))?.split("\n")
  return lines && { pid: Number(lines[0]), ready: lines[7]?.trim() === "ready" }
}

// Zero and negative numbers mean groups of processes to the system, our own among them.
const isAlive = (pid: number) => {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

const runs = (command: string, args: ReadonlyArray<string>, expected: string) =>
  `${spawnSync(command, args, { encoding: "utf8" }).stdout}`.includes(expected)

/** Whether a process is PostgreSQL serving this cluster, and not another one that has got its number. */
const serves = (pid: number, cluster: string) => {
  if (!isAlive(pid)) return false
  if (process.platform === "win32") return runs("tasklist", ["/FI", `PID eq ${pid}`], "postgres.exe")
  if (process.platform !== "linux")
    return runs("ps", ["-ww", "-o", "command=", "-p", `${pid}`], `-D ${cluster}`)
  try {
    // Every process of a server works in its cluster; one that has ended but was not collected has no such link.
    return readText(`/proc/${pid}/comm`) === "postgres\n" && readlinkSync(`/proc/${pid}/cwd`) === cluster
  } catch {
    return false
  }
}

/** Sends a signal and forgets it: the process may have ended just now. */
export const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    // On Windows every signal ends the process at once, from which PostgreSQL recovers at its next start.
    if (pid > 0) process.kill(pid, name)
  } catch {}
}

/** Waits until something holds, and says whether it did in time. */
export const waitUntil = Effect.fnUntraced(function* (
  holds: () => boolean,
  milliseconds = Number.POSITIVE_INFINITY
) {
  const pause = 15
  for (let waited = 0; !holds(); waited += pause) {
    if (waited >= milliseconds) return false
    yield* Effect.sleep(pause)
  }
  return true
})

/** Ends a server in order: its sessions are cut off and its data is written. Less orderly if that takes long. */
export const shutDown = Effect.fnUntraced(function* (pid: number, hasEnded: () => boolean) {
  if (hasEnded()) return
  signal(pid, "SIGINT")
  if (yield* waitUntil(hasEnded, 20_000)) return
  signal(pid, "SIGQUIT")
  if (yield* waitUntil(hasEnded, 5_000)) return
  signal(pid, "SIGKILL")
  yield* waitUntil(hasEnded, 2_000)
})

const processesServing = (cluster: string) =>
  process.platform === "linux"
    ? readdirSync("/proc")
        .map(Number)
        .filter((pid) => pid > 0 && serves(pid, cluster))
    : []

/** Ends what outlived its killed server or initdb: it could still write, and would not let a new server start. */
export const endStrays = Effect.fnUntraced(function* (cluster: string) {
  for (const pid of processesServing(cluster)) signal(pid, "SIGKILL")
  if (!(yield* waitUntil(() => processesServing(cluster).length === 0, 5_000)))
    return yield* failed(
      "an earlier one cannot be stopped",
      `process ${processesServing(cluster)} still works in ${cluster}`
    )
})

/**
 * Makes way for a server on a cluster. Only for the holder of the data directory: a server that runs here
 * then belongs to a service that is gone.
 */
export const clearLeftovers = Effect.fnUntraced(function* (cluster: string) {
  const previous = readPidFile(cluster)
  if (previous === undefined) return
  if (serves(previous.pid, cluster)) {
    yield* Effect.logInfo("Stopping the PostgreSQL that an earlier run of the service left behind")
    yield* shutDown(previous.pid, () => !serves(previous.pid, cluster))
  }
  yield* endStrays(cluster)
  yield* attempt("could not clear what an earlier one left", () => disarmPidFile(cluster))
})

/** A number that no process can have. */
const noProcess = 999_999_999

const disarmPidFile = (cluster: string) => {
  const path = pidFile(cluster)
  const [pid, ...rest] = readText(path)?.split("\n") ?? []
  // PostgreSQL takes any living process of that number for a server. The rest of the file stays: by it
  // PostgreSQL knows its old shared memory, and finds out itself when that is still in use.
  if (existsSync(path) && pid !== undefined && !serves(Number(pid), cluster))
    overwrite(path, [noProcess, ...rest].join("\n"))
}

/** Removes sockets and their lock files, which name a process as well. */
export const clearSockets = (directory: string) => {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(".s.PGSQL.")) rmSync(join(directory, name), { force: true })
  }
}
