/** Compiled code that is kept from one start to the next. Imports nothing of ours, as it comes before the rest. */
import { existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { join } from "node:path"

/**
 * Keeps what is imported from now on in `DATA_DIR`, written when the process ends: a start takes a third less time
 * with it. The directory is not made here, since its owner and mode depend on settings that nobody has read yet.
 */
export const keepCompiled = (dataDir = process.env.DATA_DIR || "./data") => {
  if (existsSync(dataDir)) enableCompileCache(join(dataDir, "compiled"))
}
