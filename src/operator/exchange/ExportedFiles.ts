/** Files of an export, each once, under the name of its SHA-256. */
import { createHash } from "node:crypto"
import { fileOf } from "../../domain/exchange/Kinds.ts"
import type { FilePlace } from "../../persistence/exchange/FilePlace.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import type { Files } from "../shared/Files.ts"
import { type Member, sizeMax } from "../shared/Tar.ts"

// Files of at most this size are read once: most of them are, and reading twice may cost money.
const inMemoryMax = 4 * 1024 * 1024

const isMissing = { member: undefined, sha256: undefined }

interface Found {
  readonly sha256: string | undefined
  /** None, if the export has the file already or it is nowhere. */
  readonly member: Member | undefined
}

export interface FileCounts {
  readonly number: number
  readonly bytes: number
  readonly missing: number
}

const changed = (key: string) => new OperatorFailure({ message: `The file ${key} changed while it was read` })

export const makeExportedFiles = (files: Files, read: (bytes: number) => void) => {
  // 32 characters of one byte each: about a hundred bytes for each file.
  const known = new Set<string>()
  let bytesOfFiles = 0
  let missing = 0

  /** Opens a file and uses it, if it is there as the database has it. */
  const using = async <A>(
    { key, size, store }: FilePlace,
    use: (bytes: AsyncIterable<Uint8Array>) => Promise<A>
  ): Promise<A | undefined> => {
    const { close, file } = await files.open({ store, key })
    try {
      return file?.size === size && size <= sizeMax ? await use(file.bytes) : undefined
    } finally {
      await close()
    }
  }

  /** Whether the export has no such file yet. */
  const isNew = (sha256: string, size: number) => {
    const name = Buffer.from(sha256, "hex").toString("latin1")
    if (known.has(name)) return false
    known.add(name)
    bytesOfFiles += size
    return true
  }

  const small = (place: FilePlace) =>
    using(place, async (bytes): Promise<Found> => {
      const parts: Array<Uint8Array> = []
      for await (const part of bytes) {
        read(part.length)
        parts.push(part)
      }
      const whole = Buffer.concat(parts)
      if (whole.length !== place.size) throw changed(place.key)
      const sha256 = createHash("sha256").update(whole).digest("hex")
      const member = { name: fileOf(sha256), size: place.size, bytes: [whole] }
      return { sha256, member: isNew(sha256, place.size) ? member : undefined }
    })

  /** Reads a file again, which has to be what it was. */
  const again = async function* (place: FilePlace, sha256: string) {
    const { close, file } = await files.open({ store: place.store, key: place.key })
    try {
      const hash = createHash("sha256")
      for await (const part of file?.bytes ?? []) {
        hash.update(part)
        read(part.length)
        yield part
      }
      if (hash.digest("hex") !== sha256) throw changed(place.key)
    } finally {
      await close()
    }
  }

  const large = (place: FilePlace) =>
    using(place, async (bytes): Promise<Found> => {
      const hash = createHash("sha256")
      for await (const part of bytes) {
        hash.update(part)
        // That it goes on is told; what counts is read again.
        read(0)
      }
      const sha256 = hash.digest("hex")
      const member = { name: fileOf(sha256), size: place.size, bytes: again(place, sha256) }
      return { sha256, member: isNew(sha256, place.size) ? member : undefined }
    })

  return {
    find: async (place: FilePlace): Promise<Found> => {
      const found = await (place.size <= inMemoryMax ? small(place) : large(place))
      if (found === undefined) missing += 1
      return found ?? isMissing
    },
    counts: (): FileCounts => ({ number: known.size, bytes: bytesOfFiles, missing })
  } as const
}

export type ExportedFiles = ReturnType<typeof makeExportedFiles>
