/** Reads what is to be imported: a directory, or one archive of the same tree, whose members come in the order of the tree. */
import { createHash } from "node:crypto"
import { createReadStream, existsSync } from "node:fs"
import { open, opendir, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { constants, createZstdDecompress } from "node:zlib"
import { Schema } from "effect"
import { importedKinds, kinds } from "../../domain/exchange/Kinds.ts"
import { contentsName, Manifest, manifestName } from "../../domain/exchange/Manifest.ts"
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
  /** The parts with records, in the order of their kinds; of an archive, all else that it has as well. */
  readonly members: () => AsyncIterable<Member>
  /** All that there is but the manifest. */
  readonly everything: () => AsyncIterable<Member>
  /** Whether it may say what there is of it. */
  readonly mayHaveContents: boolean
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

/** The bytes of a small file. */
export const collect = async (bytes: Bytes, name: string, most: number): Promise<Buffer> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for await (const part of bytes) {
    length += part.length
    if (length > most) throw refuse(`${name} is too long.`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const order: ReadonlyArray<string> = [...Object.keys(kinds), ...Object.keys(importedKinds)]

/** The digest that the name of a file has; none for another name. */
export const digestOf = (name: string): string | undefined => /^files\/([0-9a-f]{64})$/.exec(name)?.[1]

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

/** The files of a directory, of which there may be very many. */
const filesIn = async function* (path: string) {
  const directory = join(path, "files")
  if (existsSync(directory)) yield* await opendir(directory)
}

const openDirectory = async (path: string): Promise<Input> => {
  if (!existsSync(join(path, manifestName))) throw refuse(`${path} has no ${manifestName}.`)
  const text = await collect(createReadStream(join(path, manifestName)), manifestName, manifestMax)
  const manifest = readManifest(text)
  const names = await partNames(path)
  const mark = (await stampOf(path, names)).update(text).digest("hex")
  const memberAt = (name: string): Member => ({
    name,
    bytes: () => createReadStream(join(path, name), { highWaterMark: 1024 * 1024 })
  })
  const mayHaveContents = existsSync(join(path, contentsName))
  const members = async function* () {
    for (const name of names) yield memberAt(name)
  }
  return {
    path,
    manifest,
    mark,
    members,
    everything: async function* () {
      yield* members()
      for await (const { name } of filesIn(path)) yield memberAt(`files/${name}`)
      if (mayHaveContents) yield memberAt(contentsName)
    },
    mayHaveContents,
    openFile: async (sha256) => {
      const file = await open(join(path, "files", sha256), "r").catch(() => undefined)
      return file?.createReadStream()
    }
  }
}

// What `zstd` needs in memory to unpack is at most twice this.
const windowLog = 24

const archiveOf = async function* (path: string): AsyncGenerator<Uint8Array> {
  const unpacking = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLog } })
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(unpacking)
  } catch (error) {
    throw refuse(`${path} cannot be unpacked: ${error instanceof Error ? error.message : error}.`)
  }
}

const membersOf = async function* (path: string): AsyncGenerator<Member> {
  for await (const { bytes, name } of unpack(archiveOf(path), "export")) {
    let isRead = false
    const read = async function* () {
      isRead = true
      yield* bytes
    }
    yield { name, bytes: read }
    if (isRead) continue
    for await (const _ of bytes) {
      // What is not wanted is passed over.
    }
  }
}

const openArchive = async (path: string): Promise<Input> => {
  const { size } = await stat(path)
  let text: Buffer | undefined
  for await (const { bytes, name } of membersOf(path)) {
    if (name !== manifestName) throw refuse(`${path} does not begin with ${manifestName}.`)
    text = await collect(bytes(), name, manifestMax)
    break
  }
  if (text === undefined) throw refuse(`${path} is empty.`)
  const members = async function* () {
    for await (const member of membersOf(path)) if (member.name !== manifestName) yield member
  }
  return {
    path,
    manifest: readManifest(text),
    mark: createHash("sha256").update(`${size}\n`).update(text).digest("hex"),
    members,
    everything: members,
    // It comes last.
    mayHaveContents: true,
    openFile: undefined
  }
}

/** Opens a directory or an archive. Fails where it is none. */
export const openInput = async (path: string): Promise<Input> => {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw refuse(`${path} does not exist.`)
  return found.isDirectory() ? await openDirectory(path) : await openArchive(path)
}
