/** Reads what an archive says of itself, and none of the bytes of its files. */
import type { FileHandle } from "node:fs/promises"
import { type Entry, fromFdPromise, type ZipFile } from "yauzl"
import { type ArchiveRefusal, archiveMax, entriesMax } from "../../../../domain/plugin/ArchiveLimit.ts"
import type { EntryFacts, LocalFacts } from "../../../../domain/plugin/ArchiveRules.ts"
import { ArchiveRefused } from "../../../../domain/plugin/PluginArchives.ts"

/** An entry, with what the library needs to read its bytes. */
export interface ReadEntry extends EntryFacts {
  readonly source: Entry
}

export interface ZipDirectory {
  readonly zip: ZipFile
  readonly entries: ReadonlyArray<ReadEntry>
  /** Where the directory begins, after the last entry. */
  readonly start: number
}

const refuse = (reason: ArchiveRefusal): never => {
  throw new ArchiveRefused({ reason })
}

// The record at the end of every archive, what may follow it, and what comes before it in those of gigabytes.
const endSize = 22
const commentMax = 0xffff
const locatorSize = 20
const [endMark, locatorMark] = [0x06054b50, 0x07064b50]

/** The record at the end: where the directory is, and how many entries it has. */
interface End {
  readonly start: number
  readonly count: number
  readonly directoryStart: number
}

/** Reads the record at the end, of which the comment is as long as it says. */
const readEnd = async (file: FileHandle, size: number): Promise<End> => {
  const tail = Buffer.alloc(Math.min(size, endSize + commentMax + locatorSize))
  const { bytesRead } = await file.read(tail, 0, tail.length, size - tail.length)
  const place = bytesRead < endSize ? -1 : tail.lastIndexOf("PK\u0005\u0006", tail.length - endSize, "latin1")
  if (place < 0 || tail.readUInt32LE(place) !== endMark) return refuse("format")
  const locator = place - locatorSize
  if (locator >= 0 && tail.readUInt32LE(locator) === locatorMark) return refuse("zip64")
  const count = tail.readUInt16LE(place + 10)
  // An archive is one file, and not a part of several.
  const isWhole = tail.readUInt32LE(place + 4) === 0 && tail.readUInt16LE(place + 8) === count
  const start = size - tail.length + place
  const [directorySize, directoryStart] = [tail.readUInt32LE(place + 12), tail.readUInt32LE(place + 16)]
  if (!isWhole) return refuse("format")
  if (directoryStart + directorySize !== start) return refuse("outside")
  return { start, count, directoryStart }
}

/** What stands in the entry itself. */
const readLocal = async (zip: ZipFile, entry: Entry): Promise<LocalFacts> => {
  const local = await zip.readLocalFileHeaderPromise(entry)
  return {
    name: local.fileName,
    flags: local.generalPurposeBitFlag,
    method: local.compressionMethod,
    crc: local.crc32,
    packedSize: local.compressedSize,
    size: local.uncompressedSize,
    dataStart: local.fileDataStart
  }
}

const readEntry = async (zip: ZipFile, source: Entry): Promise<ReadEntry> => ({
  source,
  name: source.fileNameRaw,
  flags: source.generalPurposeBitFlag,
  method: source.compressionMethod,
  crc: source.crc32,
  packedSize: source.compressedSize,
  size: source.uncompressedSize,
  mode: source.externalFileAttributes >>> 16,
  start: source.relativeOffsetOfLocalHeader,
  local: await readLocal(zip, source)
})

// What the directory has of an entry beside its name, fields and comment.
const headerSize = 46

/** The entries, one after the other, from the first byte of the directory to its last. */
const readEntries = async (
  zip: ZipFile,
  end: End,
  signal: AbortSignal
): Promise<ReadonlyArray<ReadEntry>> => {
  const entries: Array<ReadEntry> = []
  let at = end.directoryStart
  for await (const entry of zip.eachEntry()) {
    signal.throwIfAborted()
    at += headerSize + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
    entries.push(await readEntry(zip, entry))
  }
  return at === end.start ? entries : refuse("outside")
}

const asRefusal = (error: unknown): never => {
  if (error instanceof ArchiveRefused) throw error
  return refuse("format")
}

/** Reads the directory of an archive that is open. Names are read by rules of our own, so that the library leaves them. */
export const readDirectory = async (file: FileHandle, signal: AbortSignal): Promise<ZipDirectory> => {
  const { size } = await file.stat()
  if (size === 0 || size > archiveMax) return refuse("size")
  const end = await readEnd(file, size)
  if (end.count > entriesMax) return refuse("entries")
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: true }
  const zip = await fromFdPromise(file.fd, options).catch(asRefusal)
  const entries = await readEntries(zip, end, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    return asRefusal(error)
  })
  return { zip, entries, start: end.directoryStart }
}
