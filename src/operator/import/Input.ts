/** Reads what is to be imported: a directory, or one archive of the same tree, whose members come in the order of the tree. */
import { createHash } from "node:crypto"
import { createReadStream, existsSync } from "node:fs"
import { open, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { constants, createZstdDecompress } from "node:zlib"
import { Schema } from "effect"
import { importedKinds, kinds } from "../../domain/exchange/Kinds.ts"
import { Manifest, manifestName } from "../../domain/exchange/Manifest.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import { unpack } from "../shared/Tar.ts"

type Bytes = AsyncIterable<Uint8Array>

/** A file of the input, whose bytes are read before the next one is asked for. */
export interface Member {
  readonly name: string
  readonly bytes: () => Bytes
}

export interface Input {
  readonly path: string
  readonly manifest: Manifest
  /** What tells this input from another one. */
  readonly mark: string
  /** The parts with records, in the order of their kinds, and the files. */
  readonly members: () => AsyncIterable<Member>
  /** A file by its SHA-256; none, if it is not there or can be read in its turn only. */
  readonly openFile: ((sha256: string) => Promise<Bytes | undefined>) | undefined
}

const refuse = (message: string) => new OperatorFailure({ message: `${message} Nothing was changed.` })

const manifestMax = 1024 * 1024

const decodeManifest = Schema.decodeUnknownSync(Manifest)

const readManifest = (bytes: Buffer): Manifest => {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString("utf8"))
  } catch {
    throw refuse(`${manifestName} is no JSON.`)
  }
  const version =
    typeof value === "object" && value !== null && "version" in value ? value.version : undefined
  if (typeof version === "number" && version > 1)
    throw refuse(
      `The export is of version ${version}, which a newer release writes. Use the program of that release.`
    )
  try {
    return decodeManifest(value)
  } catch (error) {
    throw refuse(
      `${manifestName} does not say that this is an export: ${error instanceof Error ? error.message.split("\n", 1)[0] : error}.`
    )
  }
}

const collect = async (bytes: Bytes): Promise<Buffer> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for await (const part of bytes) {
    length += part.length
    if (length > manifestMax) throw refuse(`${manifestName} is too long.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const order: ReadonlyArray<string> = [...Object.keys(kinds), ...Object.keys(importedKinds)]

/** The kind of the records of a part; none for another file. */
export const kindOfPart = (name: string): string | undefined => /^([a-z_]+)\/\d{6}\.ndjson$/.exec(name)?.[1]

const partNames = async (directory: string): Promise<ReadonlyArray<string>> => {
  const found = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isDirectory())
  const known = order.filter((kind) => found.some(({ name }) => name === kind))
  // What this release does not know is told of, not passed over.
  const unknown = found.map(({ name }) => name).filter((name) => name !== "files" && !order.includes(name))
  const names: Array<string> = []
  for (const kind of [...known, ...unknown.toSorted()]) {
    const parts = (await readdir(join(directory, kind))).toSorted()
    names.push(...parts.map((part) => `${kind}/${part}`).filter((name) => kindOfPart(name) !== undefined))
  }
  return names
}

const stampOf = async (directory: string, names: ReadonlyArray<string>) => {
  const hash = createHash("sha256")
  for (const name of names) hash.update(`${name} ${(await stat(join(directory, name))).size}\n`)
  return hash
}

const openDirectory = async (path: string): Promise<Input> => {
  if (!existsSync(join(path, manifestName))) throw refuse(`${path} has no ${manifestName}.`)
  const text = await collect(createReadStream(join(path, manifestName)))
  const manifest = readManifest(text)
  const names = await partNames(path)
  const mark = (await stampOf(path, names)).update(text).digest("hex")
  const fileAt = (name: string) => createReadStream(join(path, name), { highWaterMark: 1024 * 1024 })
  return {
    path,
    manifest,
    mark,
    members: async function* () {
      for (const name of names) yield { name, bytes: () => fileAt(name) }
    },
    openFile: async (sha256) => {
      const file = await open(join(path, "files", sha256), "r").catch(() => undefined)
      return file?.createReadStream()
    }
  }
}

// What `zstd` needs in memory to unpack is at most twice this.
const windowLog = 24

const archiveOf = (path: string): Bytes =>
  createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(
    createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLog } })
  )

const openArchive = async (path: string): Promise<Input> => {
  const { size } = await stat(path)
  let text: Buffer | undefined
  for await (const { bytes, name } of unpack(archiveOf(path))) {
    if (name !== manifestName) throw refuse(`${path} does not begin with ${manifestName}.`)
    text = await collect(
      (async function* () {
        yield* bytes
      })()
    )
    break
  }
  if (text === undefined) throw refuse(`${path} is empty.`)
  const manifest = readManifest(text)
  return {
    path,
    manifest,
    mark: createHash("sha256").update(`${size}\n`).update(text).digest("hex"),
    members: async function* () {
      for await (const { bytes, name } of unpack(archiveOf(path))) {
        let isRead = false
        const read = async function* () {
          isRead = true
          yield* bytes
        }
        if (name !== manifestName) yield { name, bytes: read }
        if (isRead) continue
        for await (const _ of bytes) {
          // What is not wanted is passed over.
        }
      }
    },
    openFile: undefined
  }
}

/** Opens a directory or an archive. Fails where it is none. */
export const openInput = async (path: string): Promise<Input> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw refuse(`${path} does not exist.`)
  return found.isDirectory() ? await openDirectory(path) : await openArchive(path)
}
