/** What a backup consists of, one after the other, as it is read from the database and the place of the files. */
import { createHash } from "node:crypto"
import { OperatorFailure } from "../OperatorFailure.ts"
import type { Files } from "../shared/Files.ts"
import { lineFeed, lineFeedsIn } from "../shared/lineFeeds.ts"
import { linesOf } from "../shared/linesOf.ts"
import { jsonMember, textMember } from "../shared/Members.ts"
import type { Progress } from "../shared/Progress.ts"
import type { Session } from "../shared/Session.ts"
import { beginSnapshot } from "../shared/Snapshot.ts"
import { type Member, sizeMax } from "../shared/Tar.ts"
import { columnsOf, findSequences } from "./Catalogue.ts"
import type { InstanceKey } from "./InstanceKey.ts"
import {
  checkedTogether,
  checksumsName,
  fileKey,
  fileName,
  format,
  keyName,
  Manifest,
  manifestName,
  partName,
  Sequences,
  sequencesName,
  type Table,
  Totals,
  totalsName
} from "./Manifest.ts"
import { estimatedSize, namedFiles } from "./NamedFiles.ts"

// Rows are in parts of about this size, so that their length is known before they are written.
const partLength = 4 * 1024 * 1024

/** The rows that a stream of `copy` has, in parts that end with a row. A row that is larger than a part is one. */
const partsOf = async function* (rows: AsyncIterable<Buffer>): AsyncGenerator<ReadonlyArray<Buffer>> {
  let chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of rows) {
    const end = chunk.lastIndexOf(lineFeed) + 1
    if (length + end < partLength || end === 0) {
      chunks.push(chunk)
      length += chunk.length
      continue
    }
    yield [...chunks, chunk.subarray(0, end)]
    chunks = [chunk.subarray(end)]
    length = chunk.length - end
  }
  if (length > 0) yield chunks
}

const lengthOf = (chunks: ReadonlyArray<Uint8Array>) => chunks.reduce((sum, { length }) => sum + length, 0)

/** Adds lists of checksums, as `sha256sum --check` reads them. */
export const withChecksums = async function* (members: AsyncIterable<Member>): AsyncGenerator<Member> {
  let number = 0
  let lines: Array<string> = []
  const list = () => {
    const member = textMember(checksumsName(++number), lines.join(""))
    lines = []
    return member
  }
  for await (const { bytes, name, size } of members) {
    const hash = createHash("sha256")
    const hashed = async function* () {
      for await (const part of bytes) {
        hash.update(part)
        yield part
      }
    }
    yield { name, size, bytes: hashed() }
    lines.push(`${hash.digest("hex")}  ${name}\n`)
    if (lines.length === checkedTogether) yield list()
  }
  if (lines.length > 0) yield list()
}

export interface Sources {
  readonly session: Session
  readonly files: Files
  readonly progress: Progress
  /** What the backup says of itself, what is read from the database aside. */
  readonly about: Pick<Manifest, "release" | "made_at">
  readonly findKey: () => Promise<InstanceKey>
}

export interface Packed {
  readonly totals: Totals
  /** The first keys of files that were nowhere. */
  readonly missing: ReadonlyArray<string>
}

const missingNamed = 10

const readAbout = async (session: Session) => {
  const [server] = await session.rows<{ version: string }>("select version() as version")
  const migrations = await session.rows<{ name: string }>(
    "select lpad(migration_id::text, 4, '0') || '_' || name as name from migrations order by migration_id"
  )
  const [size] = await session.rows<{ bytes: string }>(`select (
      coalesce(sum(pg_table_size(oid)), 0) + (${estimatedSize})::bigint
    )::text as bytes from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`)
  return {
    postgresql: server?.version.slice(0, 200) ?? "",
    migrations: migrations.map(({ name }) => name),
    estimate: Number(size?.bytes ?? 0)
  }
}

/** What a backup consists of; `packed` answers what was in it, when all of it was read. */
export const makePacking = ({ about, files, findKey, progress, session }: Sources) => {
  const rows: Record<string, number> = {}
  const missing: Array<string> = []
  let missingFiles = 0
  let countOfFiles = 0
  let bytesOfFiles = 0
  let done = 0
  let estimate = 0

  const tell = (step: string, bytes: number) => {
    done += bytes
    progress.at(step, done, estimate)
  }

  const tableMembers = async function* (table: Table): AsyncGenerator<Member> {
    let number = 0
    let count = 0
    for await (const chunks of partsOf(session.copyOut(columnsOf(table)))) {
      const size = lengthOf(chunks)
      yield { name: partName(table.name, ++number), size, bytes: chunks }
      // Each row is a line: what is in it is written without line breaks.
      count += chunks.reduce((sum, chunk) => sum + lineFeedsIn(chunk), 0)
      tell("rows", size)
    }
    rows[table.name] = count
  }

  const fileMember = (size: number, name: string, bytes: AsyncIterable<Uint8Array>): Member => {
    if (!(size <= sizeMax))
      throw new OperatorFailure({ message: `${name} is too large, or has no known size` })
    const counted = async function* () {
      for await (const part of bytes) {
        tell("files", part.length)
        yield part
      }
    }
    countOfFiles += 1
    bytesOfFiles += size
    return { name, size, bytes: counted() }
  }

  const fileMembers = async function* (): AsyncGenerator<Member> {
    for await (const line of linesOf(session.copyOut(namedFiles))) {
      const [name = "", store] = line.split("\t")
      if (!fileKey.test(name) || (store !== "disk" && store !== "s3"))
        throw new OperatorFailure({ message: `The database names a file that cannot be: ${line}` })
      const opened = await files.open({ store, key: name })
      try {
        if (opened.file === undefined) {
          missingFiles += 1
          if (missing.length < missingNamed) missing.push(name)
        } else yield fileMember(opened.file.size, fileName(name), opened.file.bytes)
      } finally {
        await opened.close()
      }
    }
  }

  const totals = (): Totals => ({
    rows,
    files: countOfFiles,
    bytes_of_files: bytesOfFiles,
    missing_files: missingFiles
  })

  const members = async function* (): AsyncGenerator<Member> {
    const tables = await beginSnapshot(session)
    const { estimate: expected, ...read } = await readAbout(session)
    estimate = expected
    // The file is made before the first row that is encrypted by it, so it is read after all of them.
    const key = await findKey()
    const encryption_key = { fingerprint: key.fingerprint ?? null, is_included: key.text !== undefined }
    yield jsonMember(manifestName, Manifest, { format, ...about, ...read, tables, encryption_key })
    if (key.text !== undefined) yield textMember(keyName, key.text)
    for (const table of tables) yield* tableMembers(table)
    // Sequences are of no snapshot: they are at least as far as its rows.
    yield jsonMember(sequencesName, Sequences, await findSequences(session))
    yield* fileMembers()
    yield jsonMember(totalsName, Totals, totals())
  }

  return { members: withChecksums(members()), packed: (): Packed => ({ totals: totals(), missing }) } as const
}
