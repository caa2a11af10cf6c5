/** How much of a disk is free. */
import { existsSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Clock, Effect } from "effect"

/** The directory, or the first one above it that exists. */
export const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)))

/** How many bytes of the disk of a directory users other than root may fill. The directory may not exist yet. */
export const freeOf = async (directory: string): Promise<number> => {
  const { bavail, blocks, bsize } = await statfs(existing(resolve(directory)))
  // A file system without blocks stores nothing, or keeps its size to itself.
  if (blocks === 0) throw new Error("The file system does not say how large it is")
  return bavail * bsize
}

// Many files arrive at the same time, and each asks again and again.
const keptMillis = 1000

/** Makes an effect that answers the free bytes as of up to a second ago; undefined if measuring them takes a second. */
export const makeFreeSpace = (directory: string, measure = freeOf) =>
  Effect.map(Clock.Clock, (clock) => {
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    let known: Promise<number | undefined> = Promise.resolve(undefined)
    let until = Number.NEGATIVE_INFINITY

    const begin = () => {
      // Not again before this one has ended: a file system that hangs would take all threads.
      until = Number.POSITIVE_INFINITY
      const after = () => {
        until = now() + keptMillis
      }
      known = measure(directory)
        .catch(() => undefined)
        .finally(after)
    }

    return Effect.suspend(() => {
      if (now() >= until) begin()
      return Effect.promise(() => known)
    }).pipe(Effect.timeoutOrElse({ duration: keptMillis, orElse: () => Effect.undefined }))
  })
