/** One service at a time on a data directory. */

import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { EmbeddedPostgresError, failed } from "./EmbeddedPostgresError.ts"

const busy = 5

const lock = (dataDir: string) => {
  // Node has no file locks of its own, but SQLite takes a real one, on every platform. The kernel drops it
  // with the process, however that ends, so there is no stale lock to recognise. Nothing is ever written.
  const file = new DatabaseSync(join(dataDir, "postgres.lock"))
  try {
    file.exec("pragma journal_mode = memory; begin exclusive")
    return file
  } catch (cause) {
    file.close()
    throw cause
  }
}

/** Holds the data directory until the scope ends; fails when another process or fiber holds it. */
export const holdDirectory = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => lock(dataDir),
      catch: (cause) =>
        cause instanceof Error && "errcode" in cause && cause.errcode === busy
          ? new EmbeddedPostgresError({
              message: `Another service uses the data directory ${dataDir}. Stop it, or set DATA_DIR or DATABASE_URL.`
            })
          : failed(`could not lock ${dataDir}`, String(cause))
    }),
    (file) => Effect.sync(() => file.close())
  )
