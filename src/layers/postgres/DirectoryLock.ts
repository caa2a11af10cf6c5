/** Makes sure that at most one service uses a data directory. */

import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { DirectoryInUse, failed } from "./EmbeddedPostgresError.ts"

const busy = 5

const lock = (dataDir: string) => {
  // Node has no file locks, but SQLite takes one on every platform. The kernel releases it when the process
  // ends, however that happens, so a lock is never stale. Nothing is written to the file.
  const file = new DatabaseSync(join(dataDir, "postgres.lock"))
  try {
    file.exec("pragma journal_mode = memory; begin exclusive")
    return file
  } catch (cause) {
    file.close()
    throw cause
  }
}

/** Locks the data directory until the scope closes. Fails when another process or fiber has locked it. */
export const holdDirectory = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => lock(dataDir),
      catch: (cause) =>
        cause instanceof Error && "errcode" in cause && cause.errcode === busy
          ? new DirectoryInUse({
              message: `Another service uses the data directory ${dataDir}. Stop it, or set DATA_DIR or DATABASE_URL.`
            })
          : failed(`could not lock ${dataDir}`, String(cause))
    }),
    (file) => Effect.sync(() => file.close())
  )
