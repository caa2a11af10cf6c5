/** Removes directories of plugins, whatever their programs have done to them. */
import { chmod, opendir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Predicate } from "effect"

const all = { recursive: true, force: true } as const

const isClosed = (error: unknown) => Predicate.hasProperty(error, "code") && error.code === "EACCES"

/** Opens a directory, and those below, to their owner again. */
const reopen = async (directory: string): Promise<void> => {
  const waiting = [directory]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await chmod(next, 0o700)
    for await (const entry of await opendir(next))
      if (entry.isDirectory()) waiting.push(join(next, entry.name))
  }
}

/** Removes a directory and all in it, also what its program has closed to everybody; nothing, if it is not there. */
export const removeTree = async (path: string): Promise<void> => {
  try {
    await rm(path, all)
  } catch (error) {
    if (!isClosed(error)) throw error
    await reopen(path)
    await rm(path, all)
  }
}
