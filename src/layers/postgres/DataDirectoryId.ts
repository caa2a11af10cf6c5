/**
 * An id that is stored in the data directory. It names what belongs to that directory but is stored elsewhere: the
 * directory of its socket, and its cluster when an unprivileged account runs PostgreSQL.
 */
import { createHash, randomBytes } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readText, writePrivate } from "./Files.ts"
import { canReach, type SystemAccount } from "./RunAs.ts"

/** Parents of the directories for clusters whose data directory an unprivileged account cannot reach. */
export const defaultParents = ["/var/lib/forum-service", "/var/tmp/forum-service"]

const idFile = (dataDir: string) => join(dataDir, "postgres.id")
const ownerFile = (home: string) => join(home, "data-dir")

const knownId = (dataDir: string) => readText(idFile(dataDir))?.match(/^[0-9a-f]{16}$/)?.[0]

const dataDirectoryId = (dataDir: string) => {
  const known = knownId(dataDir)
  if (known !== undefined) return known
  const id = randomBytes(8).toString("hex")
  writePrivate(idFile(dataDir), id)
  return id
}

/** A short name that is unique to a data directory; a copy of the directory has another one. */
export const shortName = (dataDir: string) =>
  createHash("sha256")
    .update(`${dataDirectoryId(dataDir)} ${dataDir}`)
    .digest("hex")
    .slice(0, 16)

const isCopyOf = (other: string, dataDir: string) => {
  if (knownId(other) !== knownId(dataDir)) return false
  const [one, two] = [statSync(other), statSync(dataDir)]
  return one.dev !== two.dev || one.ino !== two.ino
}

/** The directory that an earlier start created for this data directory, if there is one. */
export const existingHome = (dataDir: string, parents: ReadonlyArray<string>) => {
  const id = knownId(dataDir)
  const home = parents.map((parent) => join(parent, id ?? "none")).find((path) => existsSync(path))
  if (home === undefined) return undefined
  const owner = readText(ownerFile(home)) ?? dataDir
  if (owner !== dataDir && isCopyOf(owner, dataDir)) {
    // Two directories have the same id, so this one is a copy. It gets an id and a cluster of its own.
    rmSync(idFile(dataDir))
    return undefined
  }
  // It is the same directory, which may have been renamed.
  writeFileSync(ownerFile(home), dataDir)
  return realpathSync(home)
}

const makeOwnDirectory = (path: string) => {
  mkdirSync(path, { recursive: true, mode: 0o711 })
  const found = lstatSync(path)
  // The owner of a directory can replace its contents, and under /var/tmp every user can create directories.
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw new Error(`${path} belongs to another user`)
}

/** Creates a directory that an account can reach, in the first parent where this is possible. */
export const makeHome = (dataDir: string, parents: ReadonlyArray<string>, account: SystemAccount) => {
  const id = dataDirectoryId(dataDir)
  for (const parent of parents) {
    const home = join(parent, id)
    try {
      makeOwnDirectory(parent)
      makeOwnDirectory(home)
      if (!canReach(account, home)) continue
      writeFileSync(ownerFile(home), dataDir)
      return realpathSync(home)
    } catch {
      // Read-only, or owned by another user: try the next parent.
    }
  }
  throw new Error(`none of ${parents.join(", ")} can be used`)
}
