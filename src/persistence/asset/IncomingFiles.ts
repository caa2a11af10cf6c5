/** Files that are arriving: temporary ones, in a directory of their own. */
import { constants } from "node:fs"
import { type FileHandle, open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { DateTime, Effect, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { makeDirectory } from "../shared/makeDirectory.ts"
import { unavailableUnless } from "./FileErrors.ts"

/** A file that has arrived completely. */
export interface IncomingFile {
  readonly path: string
  readonly size: number
}

const newFile = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY

const writeAll = async (file: FileHandle, bytes: Uint8Array) => {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done)).bytesWritten
  }
}

export const makeIncomingFiles = Effect.fnUntraced(function* (directory: string) {
  const random = yield* SecureRandom.SecureRandom
  const incoming = join(directory, "incoming")

  /** Creates a file, which is removed when the scope closes unless it has another name by then. */
  const create = Effect.gen(function* () {
    const path = join(incoming, Hex.encode(yield* random.randomBytes(16)))
    const file = yield* Effect.acquireRelease(
      unavailableUnless(async () => {
        await makeDirectory(incoming, 0o700)
        return open(path, newFile, 0o600)
      }),
      (file) =>
        Effect.promise(async () => {
          await file.close().catch(() => {})
          await rm(path, { force: true }).catch(() => {})
        })
    )
    return { file, path }
  })

  /** Writes the bytes that arrive to a new file; a part is taken when the one before it is written. */
  const receive = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
    Effect.gen(function* () {
      const { file, path } = yield* create
      let size = 0
      yield* Stream.runForEach(bytes, (part) => {
        size += part.length
        return unavailableUnless(() => writeAll(file, part))
      })
      yield* unavailableUnless(() => file.sync())
      return { path, size } satisfies IncomingFile
    })

  /** Removes the files to which nothing was written since this time. */
  const removeBefore = (before: DateTime.Utc) =>
    unavailableUnless(async () => {
      for (const name of await readdir(incoming).catch(() => [])) {
        const path = join(incoming, name)
        const changed = await stat(path).catch(() => undefined)
        if (changed !== undefined && changed.mtimeMs < DateTime.toEpochMillis(before))
          await rm(path, { force: true })
      }
    })

  return { receive, removeBefore } as const
})

export type IncomingFiles = Effect.Success<ReturnType<typeof makeIncomingFiles>>
