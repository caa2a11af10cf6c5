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

/** Runs what makes something under another name, all of it on the disk. Nothing is left where that fails or is interrupted. */
export const makeWhole = async <A>(target: string, make: (unfinished: string) => Promise<A>): Promise<A> => {
  const path = resolve(target)
  checkAbsent(path)
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.unfinished`
  try {
    const made = await make(unfinished)
    checkAbsent(path)
    await rename(unfinished, path)
    await syncDirectory(dirname(path))
    return made
  } finally {
    await rm(unfinished, { force: true, recursive: true })
  }
}
