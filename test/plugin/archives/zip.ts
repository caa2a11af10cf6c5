/** Writes zip archives, honest ones and others. */
import { crc32, deflateRawSync } from "node:zlib"
import { least } from "../manifest.ts"

/** The facts of an entry that an archive tells. */
interface Told {
  readonly name: Buffer
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
}

export interface ZipEntry {
  readonly name: string | Buffer
  readonly data?: string | Buffer
  /** Whether the bytes are stored as they are. */
  readonly isStored?: boolean
  /** The mode as Unix has it, with its kind. */
  readonly mode?: number
  /** Whether sizes and checksum come after the bytes. */
  readonly isStreamed?: boolean
  /** The bytes as they are packed, whatever the data is. */
  readonly packed?: Buffer
  /** What both places say instead of the truth. */
  readonly told?: Partial<Told>
  /** What stands before the bytes alone. */
  readonly localTold?: Partial<Told>
  /** Bytes between the entry and the one before it. */
  readonly before?: Buffer
  /** Where the directory says that the entry begins. */
  readonly start?: number
  /** Further fields of the directory. */
  readonly extra?: Buffer
}

export interface ZipEnd {
  readonly before?: Buffer
  readonly comment?: Buffer
  readonly after?: Buffer
  /** Bytes between the last entry and the directory, or after that. */
  readonly between?: Buffer
  readonly afterDirectory?: Buffer
  readonly count?: number
  readonly disk?: number
  readonly locator?: boolean
}

/** Numbers of two or four bytes. */
const numbers = (...values: ReadonlyArray<readonly [2 | 4, number]>) =>
  Buffer.concat(
    values.map(([size, value]) => {
      const bytes = Buffer.alloc(size)
      bytes.writeUIntLE(value, 0, size)
      return bytes
    })
  )

const none = Buffer.alloc(0)

const toldOf = ({ data = "", isStored = false, isStreamed = false, name, packed, told }: ZipEntry) => {
  const bytes = Buffer.from(data)
  const body = packed ?? (isStored ? bytes : deflateRawSync(bytes))
  const facts: Told = {
    name: Buffer.from(name),
    flags: 0x800 | (isStreamed ? 8 : 0),
    method: isStored ? 0 : 8,
    crc: crc32(bytes),
    packedSize: body.length,
    size: bytes.length,
    ...told
  }
  return { body, facts }
}

const localHeader = ({ crc, flags, method, name, packedSize, size }: Told) =>
  Buffer.concat([
    numbers(
      [4, 0x04034b50],
      [2, 20],
      [2, flags],
      [2, method],
      [4, 0],
      [4, crc],
      [4, packedSize],
      [4, size],
      [2, name.length],
      [2, 0]
    ),
    name
  ])

const directoryHeader = (
  { crc, flags, method, name, packedSize, size }: Told,
  entry: ZipEntry,
  start: number
) => {
  const { extra = none, mode = 0 } = entry
  return Buffer.concat([
    numbers(
      [4, 0x02014b50],
      [2, 0x0314],
      [2, 20],
      [2, flags],
      [2, method],
      [4, 0],
      [4, crc],
      [4, packedSize],
      [4, size],
      [2, name.length],
      [2, extra.length],
      [2, 0],
      [2, 0],
      [2, 0],
      [4, mode * 0x10000],
      [4, entry.start ?? start]
    ),
    name,
    extra
  ])
}

/** An archive with these entries, in this order. */
export const zipOf = (entries: ReadonlyArray<ZipEntry>, end: ZipEnd = {}): Buffer => {
  const parts: Array<Buffer> = []
  const directory: Array<Buffer> = []
  const push = (bytes: Buffer) => {
    parts.push(bytes)
  }
  const length = () => parts.reduce((sum, { length }) => sum + length, 0)
  push(end.before ?? none)
  for (const entry of entries) {
    push(entry.before ?? none)
    const { body, facts } = toldOf(entry)
    directory.push(directoryHeader(facts, entry, length()))
    const { isStreamed = false } = entry
    push(
      localHeader({ ...facts, ...(isStreamed ? { crc: 0, packedSize: 0, size: 0 } : {}), ...entry.localTold })
    )
    push(body)
    if (isStreamed) push(numbers([4, 0x08074b50], [4, facts.crc], [4, facts.packedSize], [4, facts.size]))
  }
  push(end.between ?? none)
  const [start, size] = [length(), directory.reduce((sum, { length }) => sum + length, 0)]
  parts.push(...directory, end.afterDirectory ?? none)
  if (end.locator === true) push(numbers([4, 0x07064b50], [4, 0], [4, start], [4, 0], [4, 1]))
  const { after = none, comment = none, count = entries.length, disk = 0 } = end
  push(
    numbers(
      [4, 0x06054b50],
      [2, disk],
      [2, 0],
      [2, count],
      [2, count],
      [4, size],
      [4, start],
      [2, comment.length]
    )
  )
  return Buffer.concat([...parts, comment, after])
}

export const regular = 0o100_000
export const link = 0o120_000
export const directory = 0o040_000

export const manifestEntry: ZipEntry = { name: "manifest.json", data: JSON.stringify(least) }

/** An archive of a plugin that could run. */
export const honest = (more: object = {}): Buffer =>
  zipOf([
    { name: "manifest.json", data: JSON.stringify({ ...least, ...more }), mode: regular | 0o644 },
    { name: "hello", data: "#!/bin/sh\nexit 0\n", mode: regular | 0o755 }
  ])
