/** Keeps files of the other program by their SHA-256. Their names are never the names of anything on this disk. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { open, readdir, rename, rm } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import type { Scratch } from "./Scratch.ts"
import { tailOf } from "./Tails.ts"

const fileIn = (scratch: Scratch, sha256: string) => join(scratch.directory, "files", sha256)

export const storedFile = (scratch: Scratch, sha256: string) => createReadStream(fileIn(scratch, sha256))

/** Stores the bytes of a file, unless an earlier run did. */
export const storeFile = async (scratch: Scratch, path: string, bytes: AsyncIterable<Uint8Array>) => {
  if (scratch.find("select 1 as found from files where path = ?", path) !== undefined) {
    for await (const _ of bytes) {
      // Stored before.
    }
    return
  }
  const unfinished = fileIn(scratch, "unfinished")
  const hash = createHash("sha256")
  let size = 0
  await rm(unfinished, { force: true })
  const target = await open(unfinished, "wx", 0o600)
  try {
    for await (const part of bytes) {
      hash.update(part)
      size += part.length
      await target.writeFile(part)
    }
  } finally {
    await target.close()
  }
  const sha256 = hash.digest("hex")
  await rename(unfinished, fileIn(scratch, sha256))
  scratch.run("insert or ignore into files values (?, ?, ?, ?)", path, tailOf(path), sha256, size)
}

/** Stores all files below a directory. Links are not followed: they may lead anywhere. */
export const storeDirectory = async (scratch: Scratch, root: string, signal: AbortSignal) => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    signal.throwIfAborted()
    const path = join(entry.parentPath, entry.name)
    const name = relative(root, path).split(sep).join("/")
    if (entry.isSymbolicLink()) scratch.tell("files", name, "file_is_link")
    if (entry.isFile()) await storeFile(scratch, name, createReadStream(path))
  }
}
