/** Files in a directory, each under its key. */
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Semaphore, Stream } from "effect"
import type { Opened, Part } from "../../domain/asset/AssetBytes.ts"
import { makeDirectory } from "../shared/makeDirectory.ts"
import { syncDirectory } from "../shared/syncDirectory.ts"
import { isMissing, unavailableUnless } from "./FileErrors.ts"
import type { IncomingFile } from "./IncomingFiles.ts"

// What is read at a time, and waits in memory for a client that receives slowly.
const chunkLength = 64 * 1024

// Hundreds of readers take turns, so that other requests come between, and so that turns of the event loop are short:
// one connection is accepted in each. With eight, new ones waited for more than a second.
const readTogether = 2
const turns = Semaphore.makeUnsafe(readTogether)

const openedUnlessMissing = (path: string) =>
  open(path, "r").catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

const read = (file: FileHandle, { length, start }: Part) =>
  Stream.unfold({ at: start, left: length }, ({ at, left }) => {
    if (left <= 0) return Effect.succeed(undefined)
    const chunk = unavailableUnless(async () => {
      const { buffer, bytesRead } = await file.read(
        Buffer.allocUnsafeSlow(Math.min(left, chunkLength)),
        0,
        Math.min(left, chunkLength),
        at
      )
      if (bytesRead === 0) throw new Error("A file is shorter than it was")
      return [buffer.subarray(0, bytesRead), { at: at + bytesRead, left: left - bytesRead }] as const
    })
    return turns.withPermit(chunk)
  })

export const makeBytesOnDisk = (directory: string) => {
  const files = join(directory, "files")
  const pathOf = (key: string) => join(files, key)

  return {
    keep: ({ path }: IncomingFile, key: string) =>
      unavailableUnless(async () => {
        await makeDirectory(files, 0o700)
        await rename(path, pathOf(key))
        await syncDirectory(files)
      }),

    open: Effect.fnUntraced(function* (key: string, part?: Part) {
      const file = yield* Effect.acquireRelease(
        unavailableUnless(() => openedUnlessMissing(pathOf(key))),
        (file) => Effect.promise(async () => file?.close().catch(() => {}))
      )
      if (file === undefined) return Option.none<Opened>()
      const { size } = yield* unavailableUnless(() => file.stat())
      return Option.some<Opened>({ size, bytes: read(file, part ?? { start: 0, length: size }) })
    }),

    locally: (key: string) =>
      unavailableUnless(() =>
        stat(pathOf(key)).then(
          () => Option.some(pathOf(key)),
          (error: unknown) => {
            if (isMissing(error)) return Option.none<string>()
            throw error
          }
        )
      ),

    remove: (key: string) => unavailableUnless(() => rm(pathOf(key), { force: true }))
  } as const
}
