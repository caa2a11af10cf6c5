/** The log of PostgreSQL: a file of limited size in the data directory. */

import { copyFileSync, existsSync, openSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { readText } from "./Files.ts"

const limit = 2_000_000

const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0)

/** Copies the log to a second file and empties it. The server keeps the file open and continues to append. */
const trim = (path: string) => {
  if (sizeOf(path) < limit) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}

const logPath = (dataDir: string) => join(dataDir, "postgres.log")

/** Limits the size of the log until the scope closes. */
export const keepLogSmall = (dataDir: string) =>
  Effect.sync(() => trim(logPath(dataDir))).pipe(
    Effect.catchDefect(() => Effect.logWarning(`${logPath(dataDir)} could not be truncated`)),
    Effect.repeat(Schedule.spaced("1 minute")),
    Effect.forkScoped
  )

/** Opens the log for a server. `newText` reads what was logged after this call. */
export const openLog = (dataDir: string) => {
  const path = logPath(dataDir)
  const start = sizeOf(path)
  return {
    file: openSync(path, "a", 0o600),
    newText: () =>
      Buffer.from(readText(path) ?? "")
        .subarray(sizeOf(path) < start ? 0 : start)
        .toString()
  }
}
