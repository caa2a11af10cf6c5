/** The server that a running service has started, for another program on the same machine. */
import { realpathSync } from "node:fs"
import { Effect, Redacted } from "effect"
import { database, passwordFile, username } from "./Cluster.ts"
import { findLocation } from "./ClusterLocation.ts"
import type { Connection } from "./EmbeddedPostgres.ts"
import { attempt, failed } from "./EmbeddedPostgresError.ts"
import { readText } from "./Files.ts"
import { readPidFile, waitUntil } from "./StaleServer.ts"

// A service that has just been started creates its database, or recovers it.
const startMax = 30_000

/** Finds the server by the files in the data directory, which only the user of the service can read. */
export const findRunning = Effect.fnUntraced(function* (path: string) {
  const dataDir = yield* attempt(`could not find ${path}`, () => realpathSync(path))
  const location = yield* findLocation(dataDir, {})
  const isReady = yield* waitUntil(() => readPidFile(location.cluster)?.ready === true, startMax)
  const server = readPidFile(location.cluster)
  if (!isReady || server?.host === undefined) {
    return yield* failed("a service uses its directory", `no server is ready in ${location.cluster}`)
  }
  const password = readText(passwordFile(location))
  if (password === undefined) {
    return yield* failed(
      "its password cannot be read",
      `${passwordFile(location)} belongs to the user that runs the service. Run this as that user.`
    )
  }
  const { host, port } = server
  return { host, port, username, database, password: Redacted.make(password) } satisfies Connection
})

/** Whether a data directory has a database already. */
export const hasDatabase = (path: string): boolean => readText(passwordFile({ dataDir: path })) !== undefined
