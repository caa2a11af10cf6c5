/** Users of the system that plugins run as, where the service is root: numbers that nobody else has. */
import { createHash } from "node:crypto"
import { lchownSync, lstatSync, opendirSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"

export interface UserRange {
  readonly first: number
  readonly count: number
}

/**
 * Ranges to try, in this order: one that systemd gives to nobody; and one below 65,536, the only numbers that there
 * are in many containers.
 */
export const ranges: ReadonlyArray<UserRange> = [
  { first: 1_900_000_000, count: 100_000_000 },
  { first: 40_000, count: 20_000 }
]

/** The user of an installation: always the same one, unless another one that runs has it. */
export const userOf = (id: string, { count, first }: UserRange, taken: ReadonlySet<number>): number => {
  const wanted = createHash("sha256").update(id).digest().readUInt32BE(0) % count
  for (let step = 0; step < count; step++) {
    const uid = first + ((wanted + step) % count)
    if (!taken.has(uid)) return uid
  }
  throw new Error("All users are taken")
}

const batch = 200

/**
 * Gives a directory and all in it to a user. Follows no link; a file with several names may have one elsewhere, and
 * stays whose it is.
 */
export const giveTo = async (uid: number, directory: string): Promise<void> => {
  const waiting = [directory]
  let count = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (++count % batch === 0) await setImmediate()
    const found = lstatSync(next)
    if (found.isDirectory()) {
      const entries = opendirSync(next)
      for (let entry = entries.readSync(); entry !== null; entry = entries.readSync())
        waiting.push(join(next, entry.name))
      entries.closeSync()
    }
    const isElsewhere = !found.isDirectory() && found.nlink > 1
    if (found.uid !== uid && !isElsewhere) lchownSync(next, uid, uid)
  }
}
