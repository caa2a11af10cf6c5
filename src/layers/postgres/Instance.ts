/** What belongs to one data directory although it lies outside of it, found again through an id kept inside. */
import { createHash, randomBytes } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readText, writePrivate } from "./Files.ts"
import { type Account, canReach } from "./RunAs.ts"

/** Where homes are made for data directories that an unprivileged account cannot reach. */
export const usualParents = ["/var/lib/forum-service", "/var/tmp/forum-service"]

const idFile = (dataDir: string) => join(dataDir, "postgres.id")
const ownerFile = (home: string) => join(home, "data-dir")

const knownId = (dataDir: string) => readText(idFile(dataDir))?.match(/^[0-9a-f]{16}$/)?.[0]

const instanceId = (dataDir: string) => {
  const known = knownId(dataDir)
  if (known !== undefined) return known
  const id = randomBytes(8).toString("hex")
  writePrivate(idFile(dataDir), id)
  return id
}

/** A short name that no other data directory has, not even a copy of this one. */
export const shortName = (dataDir: string) =>
  createHash("sha256")
    .update(`${instanceId(dataDir)} ${dataDir}`)
    .digest("hex")
    .slice(0, 16)

const isCopyOf = (other: string, dataDir: string) => {
  if (knownId(other) !== knownId(dataDir)) return false
  const [one, two] = [statSync(other), statSync(dataDir)]
  return one.dev !== two.dev || one.ino !== two.ino
}

/** The home that was made for this data directory earlier. */
export const existingHome = (dataDir: string, parents: ReadonlyArray<string>) => {
  const id = knownId(dataDir)
  const home = parents.map((parent) => join(parent, id ?? "none")).find((path) => existsSync(path))
  if (home === undefined) return undefined
  const owner = readText(ownerFile(home)) ?? dataDir
  if (owner !== dataDir && isCopyOf(owner, dataDir)) {
    // Two directories with one id: this one was copied, and becomes an instance of its own.
    rmSync(idFile(dataDir))
    return undefined
  }
  // The same directory as before, perhaps under a new name.
  writeFileSync(ownerFile(home), dataDir)
  return realpathSync(home)
}

const makeOwnDirectory = (path: string) => {
  mkdirSync(path, { recursive: true, mode: 0o711 })
  const found = lstatSync(path)
  // Whoever owns a directory can exchange what is in it, and under /var/tmp anyone may have made this one.
  if (!found.isDirectory() || found.uid !== process.getuid?.()) throw new Error(`${path} is not ours`)
}

/** Makes a home that an account can reach, in the first of the parents that allows it. */
export const makeHome = (dataDir: string, parents: ReadonlyArray<string>, account: Account) => {
  const id = instanceId(dataDir)
  for (const parent of parents) {
    const home = join(parent, id)
    try {
      makeOwnDirectory(parent)
      makeOwnDirectory(home)
      if (!canReach(account, home)) continue
      writeFileSync(ownerFile(home), dataDir)
      return realpathSync(home)
    } catch {
      // Read-only, or someone else's: the next one may do.
    }
  }
  throw new Error(`neither of ${parents.join(", ")} can be used`)
}
