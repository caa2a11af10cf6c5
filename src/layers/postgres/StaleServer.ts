/** Stops a server that outlived its service, and removes the files of one that was killed. */

import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { attempt, failed } from "./EmbeddedPostgresError.ts"
import { overwrite, readText } from "./Files.ts"

const pidFile = (cluster: string) => join(cluster, "postmaster.pid")

/** The process id of the running server, where it listens, and whether it accepts connections. */
export const readPidFile = (cluster: string) => {
  const lines = readText(pidFile(cluster))?.split("\n")
  if (lines === undefined) return undefined
  const [pid, , , port, socket, address, , state] = lines
  return {
    pid: Number(pid),
    port: Number(port),
    host: socket?.trim() || address?.trim() || undefined,
    ready: state?.trim() === "ready"
  }
}

// For the system, zero and negative numbers mean process groups, including that of this process.
const isAlive = (pid: number) => {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

const runs = (command: string, args: ReadonlyArray<string>, expected: string) =>
  `${spawnSync(command, args, { encoding: "utf8" }).stdout}`.includes(expected)

/** Whether a process is PostgreSQL running on this cluster, and not another process that was given the same id. */
const serves = (pid: number, cluster: string) => {
  if (!isAlive(pid)) return false
  if (process.platform === "win32") return runs("tasklist", ["/FI", `PID eq ${pid}`], "postgres.exe")
  if (process.platform !== "linux")
    return runs("ps", ["-ww", "-o", "command=", "-p", `${pid}`], `-D ${cluster}`)
  try {
    // The working directory of every PostgreSQL process is its cluster. A zombie process has no such link.
    return readText(`/proc/${pid}/comm`) === "postgres\n" && readlinkSync(`/proc/${pid}/cwd`) === cluster
  } catch {
    return false
  }
}

/** Sends a signal. Ignores failures: the process may already have ended. */
const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    // On Windows every signal kills the process at once; PostgreSQL recovers from that when it starts again.
    if (pid > 0) process.kill(pid, name)
  } catch {}
}

/** Waits until a condition holds. The result is false if it did not hold in time. */
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

/** Shuts a server down: it closes its sessions and writes its data. Kills it if that takes too long. */
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

/**
 * Kills the child processes of a server or an initdb that was killed. They can still write, and PostgreSQL does not
 * start while they run.
 */
export const killRemainingProcesses = Effect.fnUntraced(function* (cluster: string) {
  for (const pid of processesServing(cluster)) signal(pid, "SIGKILL")
  if (!(yield* waitUntil(() => processesServing(cluster).length === 0, 5_000)))
    return yield* failed(
      "an earlier server cannot be stopped",
      `process ${processesServing(cluster)} is still running in ${cluster}`
    )
})

/**
 * Prepares a cluster for a new server. The caller must hold the lock of the data directory, so that a server that is
 * still running belongs to a service that has ended.
 */
export const stopStaleServer = Effect.fnUntraced(function* (cluster: string) {
  const previous = readPidFile(cluster)
  if (previous === undefined) return
  if (serves(previous.pid, cluster)) {
    yield* Effect.logInfo("Stopping the PostgreSQL server of an earlier run of the service")
    yield* shutDown(previous.pid, () => !serves(previous.pid, cluster))
  }
  yield* killRemainingProcesses(cluster)
  yield* attempt("could not invalidate the pid file of an earlier server", () => invalidatePidFile(cluster))
})

/** A process id that no process has, as it is larger than any. */
const noProcess = 999_999_999

const invalidatePidFile = (cluster: string) => {
  const path = pidFile(cluster)
  const [pid, ...rest] = readText(path)?.split("\n") ?? []
  // PostgreSQL does not start while a process with the id in this file exists, whatever that process is. The other
  // lines stay: they identify the old shared memory, and PostgreSQL checks that it is no longer in use.
  if (existsSync(path) && pid !== undefined && !serves(Number(pid), cluster))
    overwrite(path, [noProcess, ...rest].join("\n"))
}

/** Removes sockets and their lock files, which also contain a process id. */
export const removeStaleSockets = (directory: string) => {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(".s.PGSQL.")) rmSync(join(directory, name), { force: true })
  }
}
