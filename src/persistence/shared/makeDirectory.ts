import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { Predicate } from "effect"

const hasCode = (error: unknown, code: string) => Predicate.hasProperty(error, "code") && error.code === code

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false
  )

const makeOne = (path: string, mode: number) =>
  mkdir(path, { mode }).catch((error) => {
    if (!hasCode(error, "EEXIST")) throw error
  })

/**
 * Makes a directory and those above it, unless they exist. Node's own function never ends where a file system answers
 * ENOENT for a new directory although its parent exists, as /proc does.
 */
export const makeDirectory = async (path: string, mode: number): Promise<void> => {
  try {
    await makeOne(path, mode)
  } catch (error) {
    const parent = dirname(path)
    if (!hasCode(error, "ENOENT") || (await exists(parent))) throw error
    await makeDirectory(parent, mode)
    await makeOne(path, mode)
  }
}
