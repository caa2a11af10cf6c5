/** Removes what a program has closed to everybody, as the user who runs this, and writes what came of it. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { removeTree } from "../../../src/layers/adapters/plugins/removeTree.ts"

const root = mkdtempSync(join(tmpdir(), "forum-closed-"))
const below = join(root, "a", "b", "c")
mkdirSync(below, { recursive: true })
writeFileSync(join(below, "file"), "x")
for (const name of ["a/b/c", "a/b", "a"]) chmodSync(join(root, name), 0)
const usual = await rm(root, { recursive: true, force: true }).then(
  () => "removed",
  (error) => error.code
)
await removeTree(root)
await removeTree(root)
process.stdout.write(JSON.stringify({ usual, isThere: existsSync(root) }))
