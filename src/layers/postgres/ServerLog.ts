/** What PostgreSQL says: one file in the data directory that does not grow for ever. */

import { copyFileSync, existsSync, openSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { readText } from "./Files.ts"

const limit = 2_000_000

const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0)

/** Keeps what there is in a second file and starts anew. The server goes on appending to the first. */
const trim = (path: string) => {
  if (sizeOf(path) < limit) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}

export const logPath = (dataDir: string) => join(dataDir, "postgres.log")

/** Keeps the log small until the scope ends. */
export const keepLogSmall = (dataDir: string) =>
  Effect.sync(() => trim(logPath(dataDir))).pipe(
    Effect.catchDefect(() => Effect.logWarning(`${logPath(dataDir)} could not be shortened`)),
    Effect.repeat(Schedule.spaced("1 minute")),
    Effect.forkScoped
  )

/** Opens the log for a server; `sinceThen` reads what has been said from now on. */
export const openLog = (dataDir: string) => {
  const path = logPath(dataDir)
  const start = sizeOf(path)
  return {
    file: openSync(path, "a", 0o600),
    sinceThen: () =>
      Buffer.from(readText(path) ?? "")
        .subarray(sizeOf(path) < start ? 0 : start)
        .toString()
  }
}
