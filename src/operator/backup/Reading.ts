/**
 * Reads a backup. What is whole, complete, in order and of bounded size is decided here, before anything is done with
 * it.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { constants, createZstdDecompress } from "node:zlib"
import { Effect, Schema } from "effect"
import { OperatorFailure } from "../OperatorFailure.ts"
import { damaged, type Member, unpack } from "../shared/Tar.ts"
import { makeLayout, type Place } from "./Layout.ts"
import {
  checkedTogether,
  Format,
  format,
  Manifest,
  manifestName,
  Sequences,
  Totals,
  textMax
} from "./Manifest.ts"
import { checkSeal, makeSealing, readSeal, type Seal } from "./Seal.ts"

// What `zstd` needs in memory to unpack is at most twice this: 16 MiB.
const windowLog = 24

const chunkLength = 256 * 1024

/** What is done with what a backup consists of, in this order. Each that has bytes reads all of them. */
export interface Handling {
  readonly manifest: (manifest: Manifest) => Promise<void>
  readonly key: (text: string) => Promise<void>
  readonly rows: (table: Manifest["tables"][number], bytes: AsyncIterable<Uint8Array>) => Promise<void>
  readonly sequences: (sequences: Sequences) => Promise<void>
  readonly file: (key: string, bytes: AsyncIterable<Uint8Array>, size: number) => Promise<void>
  readonly totals: (totals: Totals) => Promise<void>
}

const decodeWith = <A, I>(schema: Schema.Codec<A, I>, name: string) => {
  const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(schema)))
  return (text: string): A => {
    try {
      return decode(text)
    } catch {
      throw damaged(`${name} says nothing that this release understands`)
    }
  }
}

const decodeManifest = decodeWith(Manifest, manifestName)
const decodeFormat = decodeWith(Format, manifestName)
const decodeSequences = decodeWith(Sequences, "the list of sequences")
const decodeTotals = decodeWith(Totals, "the list of totals")

const readManifest = (text: string) => {
  const found = decodeFormat(text)
  if (found.format > format)
    throw new OperatorFailure({
      message: `The backup was made by a newer release (${found.release}), which writes them in another form. Use the program of that release.`
    })
  return decodeManifest(text)
}

const textIn = async ({ bytes, name, size }: Pick<Member, "bytes" | "name" | "size">) => {
  if (size > textMax) throw damaged(`${name} is too long`)
  const parts: Array<Uint8Array> = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts).toString("utf8")
}

const handled = async (place: Place, member: Member & { bytes: AsyncIterable<Uint8Array> }, to: Handling) => {
  switch (place.kind) {
    case "key":
      return await to.key(await textIn(member))
    case "rows":
      return await to.rows(place.table, member.bytes)
    case "sequences":
      return await to.sequences(decodeSequences(await textIn(member)))
    case "file":
      return await to.file(place.key, member.bytes, member.size)
    case "totals":
      return await to.totals(decodeTotals(await textIn(member)))
  }
}

/** Compares lists of checksums with what was before them. */
const makeChecking = () => {
  let lines: Array<string> = []
  return {
    /** Whether what comes now is a list. */
    isDue: () => lines.length === checkedTogether,
    isOpen: () => lines.length > 0,
    check: async (member: Member) => {
      if ((await textIn(member)) !== lines.join("")) throw damaged(`${member.name} says something else`)
      lines = []
    },
    /** The member, whose checksum is noted when its bytes were read. */
    noting: ({ bytes, name, size }: Member) => {
      const hash = createHash("sha256")
      const noted = async function* () {
        for await (const part of bytes) {
          hash.update(part)
          yield part
        }
        lines.push(`${hash.digest("hex")}  ${name}\n`)
      }
      return { name, size, bytes: noted() }
    }
  } as const
}

/** Goes through an archive. Fails where it is not what a backup consists of. */
const readMembers = async (archive: AsyncIterable<Uint8Array>, to: Handling) => {
  const checking = makeChecking()
  let layout: ReturnType<typeof makeLayout> | undefined
  let lists = 0
  for await (const member of unpack(archive)) {
    if (layout === undefined) {
      if (member.name !== manifestName) throw damaged("it does not begin with what it is")
      const manifest = readManifest(await textIn(checking.noting(member)))
      layout = makeLayout(manifest)
      await to.manifest(manifest)
    } else if (checking.isDue() || (layout.isComplete() && checking.isOpen())) {
      lists += 1
      layout.checkList(member.name, lists)
      await checking.check(member)
    } else {
      await handled(layout.next(member.name), checking.noting(member), to)
    }
  }
  if (layout === undefined || !layout.isComplete() || checking.isOpen()) throw damaged("something is missing")
}

const streamOf = (file: FileHandle, { length }: Seal) =>
  createReadStream("", {
    fd: file,
    start: 0,
    end: length - 1,
    highWaterMark: chunkLength,
    autoClose: false
  })

export interface Reading {
  readonly file: FileHandle
  readonly signal: AbortSignal
  /** Is told how much of the file was read. */
  readonly at: (done: number, of: number) => void
}

/** Fails unless the file is a whole backup, byte by byte. */
export const checkWhole = async ({ at, file, signal }: Reading): Promise<Seal> => {
  const seal = await readSeal(file)
  const sealing = makeSealing()
  await pipeline(
    streamOf(file, seal),
    async (bytes: AsyncIterable<Buffer>) => {
      for await (const part of bytes) {
        sealing.pass(part)
        at(sealing.length(), seal.length)
      }
    },
    { signal }
  )
  checkSeal(seal, sealing)
  return seal
}

/** Reads a whole backup, and fails if it is not the same as when it was checked. */
export const readBackup = async ({ at, file, signal }: Reading, seal: Seal, to: Handling): Promise<void> => {
  const sealing = makeSealing()
  let unpacked = 0
  const passing = async function* (bytes: AsyncIterable<Buffer>) {
    for await (const part of bytes) {
      sealing.pass(part)
      at(sealing.length(), seal.length)
      yield part
    }
  }
  const bounded = async function* (bytes: AsyncIterable<Uint8Array>) {
    for await (const part of bytes) {
      unpacked += part.length
      if (unpacked > seal.unpacked) throw damaged("it is longer than it says")
      yield part
    }
  }
  await pipeline(
    streamOf(file, seal),
    passing,
    createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLog } }),
    (bytes: AsyncIterable<Uint8Array>) => readMembers(bounded(bytes), to),
    { signal }
  )
  if (unpacked !== seal.unpacked) throw damaged("it is shorter than it says")
  checkSeal(seal, sealing)
}

/** Opens a backup until the scope closes. */
export const openBackup = (path: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => open(path, "r"),
      catch: (cause) =>
        new OperatorFailure({
          message: `${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`
        })
    }),
    (file) => Effect.promise(() => file.close().catch(() => {}))
  )
