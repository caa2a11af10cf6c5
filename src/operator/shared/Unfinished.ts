/** Makes files and directories that have their names when they are whole, and not before. */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { syncDirectory } from "../../persistence/shared/syncDirectory.ts"
import { OperatorFailure } from "../OperatorFailure.ts"

const checkAbsent = (path: string) => {
  if (existsSync(path)) throw new OperatorFailure({ message: `${path} exists. Name another file.` })
}

/**
 * Runs what makes something under another name, all of it on the disk, and then gives it its name, in place of what had
 * it. Nothing is left where that fails or is interrupted.
 */
export const replaceByWhole = async <A>(
  path: string,
  make: (unfinished: string) => Promise<A>,
  checkName: () => void = () => {}
): Promise<A> => {
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.unfinished`
  try {
    const made = await make(unfinished)
    checkName()
    await rename(unfinished, path)
    await syncDirectory(dirname(path))
    return made
  } finally {
    await rm(unfinished, { force: true, recursive: true })
  }
}

/** As `replaceByWhole`, but fails, before and after it is made, where something has the name. */
export const makeWhole = async <A>(target: string, make: (unfinished: string) => Promise<A>): Promise<A> => {
  const path = resolve(target)
  checkAbsent(path)
  return await replaceByWhole(path, make, () => checkAbsent(path))
}
