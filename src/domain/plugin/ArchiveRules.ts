/** What may be in the archive of a plugin, by what the archive says of itself. Pure. */
import { Result } from "effect"
import {
  type ArchiveRefusal,
  depthMax,
  fileMax,
  filesMax,
  nameMax,
  partMax,
  ratioMax,
  smallMax
} from "./ArchiveLimit.ts"
import { ArchiveRefused } from "./PluginArchives.ts"

/** What an archive says of one of its entries in two places. */
interface HeaderFacts {
  /** The name as it is in the archive. */
  readonly name: Uint8Array
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedSize: number
  readonly size: number
}

/** What it says before the bytes of the entry. */
export interface LocalFacts extends HeaderFacts {
  /** Where the bytes of the file begin. */
  readonly dataStart: number
}

/** What it says in its directory. */
export interface EntryFacts extends HeaderFacts {
  /** The mode as Unix has it, with its kind; 0 if there is none. */
  readonly mode: number
  /** Where the entry begins. */
  readonly start: number
  readonly local: LocalFacts
}

/** What becomes of an entry. */
export interface Planned<Entry> {
  readonly entry: Entry
  readonly kind: "file" | "directory"
  /** The parts of the name, none of which leads elsewhere. */
  readonly path: ReadonlyArray<string>
  /** The permissions, and nothing else of the mode. */
  readonly permissions: number
}

const flagged = (flags: number, ...bits: ReadonlyArray<number>) =>
  bits.some((bit) => (flags & (1 << bit)) !== 0)

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decode = (name: Uint8Array): string | undefined => {
  try {
    return decoder.decode(name)
  } catch {
    return undefined
  }
}

const isPart = (part: string) =>
  part !== "" && part !== "." && part !== ".." && Buffer.byteLength(part) <= partMax

/** The parts of a name; nothing if it is no name for a file below a directory. */
export const partsOf = (name: string): ReadonlyArray<string> | undefined => {
  if (/[\p{Cc}\\]|^\/|^[A-Za-z]:/u.test(name)) return undefined
  const parts = (name.endsWith("/") ? name.slice(0, -1) : name).split("/")
  return parts.length <= depthMax && parts.every(isPart) ? parts : undefined
}

/** What names have in common that some file systems take for one. */
export const foldedName = (name: string): string =>
  name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC")

const kindMask = 0o170_000
const [regular, directory] = [0o100_000, 0o040_000]

// Of entries without a mode: others may read them, and enter directories.
const usualPermissions = { file: 0o644, directory: 0o755 } as const

const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0

// Sizes and checksum are told after the bytes of the file.
const isDescribedLater = (flags: number) => flagged(flags, 3)

// What stands for a size that is told elsewhere.
const elsewhere = 0xff_ff_ff_ff

const isSameSize = (local: number, size: number) => local === size || local === elsewhere

/** Whether an archive says the same of an entry in both places. */
const agree = (entry: EntryFacts): boolean => {
  const { local } = entry
  if (!same(local.name, entry.name) || local.method !== entry.method) return false
  if (isDescribedLater(local.flags) !== isDescribedLater(entry.flags)) return false
  if (isDescribedLater(entry.flags)) return true
  return (
    local.crc === entry.crc &&
    isSameSize(local.packedSize, entry.packedSize) &&
    isSameSize(local.size, entry.size)
  )
}

/** Why an entry is refused whatever its name is. */
const refusalOfEntry = (entry: EntryFacts): ArchiveRefusal | undefined => {
  if (flagged(entry.flags, 0, 6, 13) || flagged(entry.local.flags, 0, 6, 13)) return "encryption"
  if (flagged(entry.flags, 5) || (entry.method !== 0 && entry.method !== 8)) return "method"
  if (!agree(entry)) return "headers"
  if (entry.size > fileMax) return "file-size"
  return entry.size > smallMax && entry.size > ratioMax * entry.packedSize ? "ratio" : undefined
}

/** What an entry is by its name and mode; nothing if it is neither a file nor a directory. */
const kindOf = (name: string, { mode, size }: EntryFacts): "file" | "directory" | undefined => {
  const kind = mode & kindMask
  if (name.endsWith("/")) return size === 0 && (kind === 0 || kind === directory) ? "directory" : undefined
  return kind === 0 || kind === regular ? "file" : undefined
}

/** Finds what cannot be beside each other in a directory. */
const makeNames = (reserved: ReadonlyArray<string>) => {
  const known = new Map(
    reserved.map((name) => [foldedName(name), { name, kind: "file" as "file" | "directory", isListed: true }])
  )
  /** Whether there is room for a name, and for the directories that it is in. */
  return (path: ReadonlyArray<string>, kind: "file" | "directory"): boolean => {
    for (const depth of path.keys()) {
      const name = path.slice(0, depth + 1).join("/")
      const isListed = depth === path.length - 1
      const own = isListed ? kind : "directory"
      const found = known.get(foldedName(name))
      if (found === undefined) known.set(foldedName(name), { name, kind: own, isListed })
      else if (found.name !== name || found.kind !== own || (found.isListed && isListed)) return false
      else found.isListed ||= isListed
    }
    return true
  }
}

// With or without its mark, and with sizes of four or eight bytes.
const descriptorSizes: ReadonlySet<number> = new Set([12, 16, 20, 24])

/** Whether entries follow each other from the first byte to the directory, or what is wrong instead. */
const refusalOfPlaces = (entries: ReadonlyArray<EntryFacts>, end: number): ArchiveRefusal | undefined => {
  const placed = [...entries].sort((one, other) => one.start - other.start)
  let at = 0
  for (const [index, { flags, local, packedSize, start }] of placed.entries()) {
    if (start !== at) return start < at ? "overlap" : "outside"
    const dataEnd = local.dataStart + packedSize
    const next = placed[index + 1]?.start ?? end
    if (dataEnd > next) return "overlap"
    const isDescribed = isDescribedLater(flags) && descriptorSizes.has(next - dataEnd)
    if (dataEnd !== next && !isDescribed) return "outside"
    at = next
  }
  return at === end ? undefined : "outside"
}

const refused = (reason: ArchiveRefusal, file?: string) =>
  Result.fail(new ArchiveRefused({ reason, ...(file === undefined ? {} : { file }) }))

/**
 * What becomes of the entries of an archive whose directory begins at a byte; or why none is unpacked. Reserved names
 * are of files that are there already.
 */
export const planEntries = <Entry extends EntryFacts>(
  entries: ReadonlyArray<Entry>,
  directoryStart: number,
  reserved: ReadonlyArray<string>
): Result.Result<ReadonlyArray<Planned<Entry>>, ArchiveRefused> => {
  const places = refusalOfPlaces(entries, directoryStart)
  if (places !== undefined) return refused(places)
  const take = makeNames(reserved)
  const planned: Array<Planned<Entry>> = []
  let total = 0
  for (const entry of entries) {
    const name = entry.name.length > nameMax + 1 ? undefined : decode(entry.name)
    const path = name === undefined ? undefined : partsOf(name)
    if (name === undefined || path === undefined) return refused("name")
    const refusal = refusalOfEntry(entry)
    if (refusal !== undefined) return refused(refusal, name)
    const kind = kindOf(name, entry)
    if (kind === undefined) return refused("special", name)
    if (!take(path, kind)) return refused("duplicate", name)
    total += entry.size
    if (total > filesMax) return refused("file-size")
    const permissions = entry.mode === 0 ? usualPermissions[kind] : entry.mode & 0o777
    planned.push({ entry, kind, path, permissions })
  }
  return Result.succeed(planned)
}

/** The first file that is called `manifest.json`, in whatever directory. */
export const findManifest = <Entry>(planned: ReadonlyArray<Planned<Entry>>): Planned<Entry> | undefined =>
  planned.find(({ kind, path }) => kind === "file" && path.at(-1) === "manifest.json")
