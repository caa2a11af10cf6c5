/** Temporary data directories. */

import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { createNotes, serving } from "./server.ts"

const make = () => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "forum-postgres-")))
  // Where root cannot create namespaces, an unprivileged account runs PostgreSQL and has to reach this directory.
  chmodSync(path, 0o711)
  return path
}
const remove = (path: string) => rmSync(path, { recursive: true, force: true })

/** An empty directory, removed when the scope closes. */
export const temporaryDirectory = Effect.acquireRelease(Effect.sync(make), (path) =>
  Effect.sync(() => remove(path))
)

// Several test files may share this module, so it is removed only when the process exits.
const original = make()
process.once("exit", () => remove(original))

const served = Effect.runSync(Effect.cached(serving({ dataDir: original }, createNotes)))

/** A directory with a cluster and an empty table `note`. Copying it is faster than a first start. */
export const usedDirectory = Effect.gen(function* () {
  yield* served
  const path = yield* temporaryDirectory
  cpSync(original, path, { recursive: true })
  return path
})
