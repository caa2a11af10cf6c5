/** The file with the key of the instance, for which the settings name none. */
import { randomBytes } from "node:crypto"
import { link, open, readFile, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Predicate } from "effect"
import { makeDirectory } from "../../../persistence/shared/makeDirectory.ts"
import { syncDirectory } from "../../../persistence/shared/syncDirectory.ts"
import { readEncryptionKey } from "../../process/KeySettings.ts"

export const keyBytes = 32

export const keyFileIn = (dataDir: string): string => join(dataDir, "encryption.key")

const hasCode = (error: unknown, code: string) => Predicate.hasProperty(error, "code") && error.code === code

/** The key in a file; undefined, if there is no file. Fails if the file holds something else. */
export const findKey = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    const key = readEncryptionKey((await readFile(path, "utf8")).trim())
    if (key === undefined) throw new Error(`it does not hold ${keyBytes} bytes in base64`)
    return key
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined
    throw error
  }
}

const writeNew = async (path: string) => {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(`${randomBytes(keyBytes).toString("base64")}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * The key in a file, which is made unless it exists. The file gets its name once it is complete, and no file loses it:
 * of two instances that start at once, one makes the key and both read it.
 */
export const getKey = async (path: string): Promise<Uint8Array> => {
  const known = await findKey(path)
  if (known !== undefined) return known
  const made = `${path}.${randomBytes(8).toString("hex")}`
  await makeDirectory(dirname(path), 0o711)
  try {
    await writeNew(made)
    await link(made, path).catch((error) => {
      if (!hasCode(error, "EEXIST")) throw error
    })
    await syncDirectory(dirname(path))
  } finally {
    await rm(made, { force: true })
  }
  const key = await findKey(path)
  if (key === undefined) throw new Error("it was removed while it was made")
  return key
}

/** Whether others than the owner of a file may read or write it. */
export const isOpenToOthers = async (path: string): Promise<boolean> =>
  ((await stat(path)).mode & 0o077) !== 0
