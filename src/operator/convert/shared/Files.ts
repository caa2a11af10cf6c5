/** Keeps files of the other program by their SHA-256. Their names are never the names of anything on this disk. */
import { createHash, randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
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
  // Several may be stored at a time.
  const unfinished = fileIn(scratch, `unfinished-${randomUUID()}`)
  const hash = createHash("sha256")
  let size = 0
  const target = await open(unfinished, "wx", 0o600)
  try {
    for await (const part of bytes) {
      hash.update(part)
      size += part.length
      await target.writeFile(part)
    }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await target.close()
  }
  const sha256 = hash.digest("hex")
  await rename(unfinished, fileIn(scratch, sha256))
  scratch.run("insert or ignore into files values (?, ?, ?, ?)", path, tailOf(path), sha256, size)
}
