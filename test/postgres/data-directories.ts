/** Throwaway data directories. */

import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { createNotes, serving } from "./server.ts"

const make = () => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "forum-postgres-")))
  // Where root cannot make namespaces, an unprivileged account serves the data, and has to get there.
  chmodSync(path, 0o711)
  return path
}
const remove = (path: string) => rmSync(path, { recursive: true, force: true })

/** An empty directory, gone with the scope. */
export const temporaryDirectory = Effect.acquireRelease(Effect.sync(make), (path) =>
  Effect.sync(() => remove(path))
)

// Test files may share this module, so that only the end of all is the end of it.
const original = make()
process.once("exit", () => remove(original))

const served = Effect.runSync(Effect.cached(serving({ dataDir: original }, createNotes)))

/** A directory that has been served before and holds an empty table of notes: quicker than a first start. */
export const usedDirectory = Effect.gen(function* () {
  yield* served
  const path = yield* temporaryDirectory
  cpSync(original, path, { recursive: true })
  return path
})
