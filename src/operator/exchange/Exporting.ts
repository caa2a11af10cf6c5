/** What an export consists of, one after the other, as it is read from the database and the place of the files. */
import { Schema } from "effect"
import { type Kind, kinds } from "../../domain/exchange/Kinds.ts"
import { Contents, contentsName, Manifest, manifestName, manifestOf } from "../../domain/exchange/Manifest.ts"
import { FilePlace } from "../../persistence/exchange/FilePlace.ts"
import { leftOut } from "../../persistence/exchange/LeftOut.ts"
import { makeParts, type PartOfContents } from "../../persistence/exchange/Parts.ts"
import { recordsOf, type Wanted } from "../../persistence/exchange/RecordQueries.ts"
import type { Files } from "../shared/Files.ts"
import { linesOf } from "../shared/linesOf.ts"
import { jsonMember } from "../shared/Members.ts"
import type { Progress } from "../shared/Progress.ts"
import type { Session } from "../shared/Session.ts"
import { beginSnapshot } from "../shared/Snapshot.ts"
import type { Member } from "../shared/Tar.ts"
import { makeExportedFiles } from "./ExportedFiles.ts"

export interface Sources {
  readonly session: Session
  readonly files: Files
  readonly progress: Progress
  /** What the export says of itself, what is read from the database aside. */
  readonly about: Pick<Manifest, "made_by" | "address" | "with_addresses">
  /** What the instance is called unless somebody changed it. */
  readonly usualTitle: string
}

// Rows as they are: no line of JSON has one of these characters.
const asLines = "(format csv, quote e'\\x01', delimiter e'\\x02')"

const isPlace = Schema.is(FilePlace)

/** The kinds whose records say where files are. */
const withFiles: ReadonlySet<Kind> = new Set(["assets", "instance_images"])

const kindsInOrder = Object.keys(kinds).filter((name): name is Kind => name in kinds)

/** Databases that sort by bytes say so by one of these names. */
const sorting = `select coalesce(datlocprovider = 'b' or
    datlocprovider = 'c' and upper(replace(datcollate, '-', '')) in ('C', 'POSIX', 'C.UTF8'), false) as by_bytes
  from pg_database where datname = current_database()`

const readAbout = async (session: Session) => {
  const [database] = await session.rows<{ by_bytes: boolean }>(sorting)
  const [general] = await session.rows<{ title: string | null }>(
    "select value ->> 'title' as title from settings where part = 'general'"
  )
  const tables = Object.entries(leftOut).flatMap(([name, reasons]) =>
    typeof reasons === "string" ? [name] : []
  )
  const [size] = await session.rows<{ bytes: string }>(
    `select (coalesce(sum(pg_table_size(oid)), 0) + (select coalesce(sum(size), 0) from assets))::text as bytes
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all ($1)`,
    [tables]
  )
  return {
    sortsByBytes: database?.by_bytes === true,
    title: general?.title ?? undefined,
    estimate: Number(size?.bytes ?? 0)
  }
}

/** What an export consists of; `exported` answers what was in it, when all of it was read. */
export const makeExporting = ({ about, files, progress, session, usualTitle }: Sources) => {
  const parts: Array<PartOfContents> = []
  const records: Partial<Record<Kind, number>> = {}
  let step = ""
  let done = 0
  let estimate = 0

  const tell = (bytes: number) => {
    done += bytes
    progress.at(step, done, estimate)
  }
  const exportedFiles = makeExportedFiles(files, tell)

  /** A record with the hashes of its files in place of where they are; gives the files. */
  const resolved = async function* (record: unknown): AsyncGenerator<Member, unknown> {
    if (isPlace(record)) {
      const { member, sha256 } = await exportedFiles.find(record)
      if (member !== undefined) yield member
      return sha256
    }
    if (Array.isArray(record)) {
      const items: Array<unknown> = []
      for (const item of record) items.push(yield* resolved(item))
      return items
    }
    if (typeof record !== "object" || record === null) return record
    const fields: Array<readonly [string, unknown]> = []
    for (const [name, field] of Object.entries(record)) fields.push([name, yield* resolved(field)])
    return Object.fromEntries(fields)
  }

  const kindMembers = async function* (kind: Kind, wanted: Wanted): AsyncGenerator<Member> {
    step = kind
    records[kind] = 0
    const cutting = makeParts(kind, (part) => {
      parts.push(part)
      records[kind] = (records[kind] ?? 0) + part.records
    })
    const rows = session.copyOut(`(${recordsOf(kind, wanted)})`, asLines)
    if (withFiles.has(kind)) {
      for await (const line of linesOf(rows)) {
        const record = yield* resolved(JSON.parse(line))
        yield* cutting.add(Buffer.from(`${JSON.stringify(record)}\n`))
        tell(line.length)
      }
    } else {
      for await (const chunk of rows) {
        yield* cutting.add(chunk)
        tell(chunk.length)
      }
    }
    yield* cutting.end()
  }

  const contents = (): Contents => {
    const { missing, ...counted } = exportedFiles.counts()
    return { parts, files: counted, missing_files: missing }
  }

  const members = async function* (): AsyncGenerator<Member> {
    await beginSnapshot(session)
    const { estimate: expected, sortsByBytes, title } = await readAbout(session)
    estimate = expected
    yield jsonMember(manifestName, Manifest, manifestOf({ ...about, title: title ?? usualTitle }))
    const wanted = { withAddresses: about.with_addresses, sortsByBytes }
    for (const kind of kindsInOrder) yield* kindMembers(kind, wanted)
    yield jsonMember(contentsName, Contents, contents())
  }

  return { members: members(), exported: () => ({ records, contents: contents() }) } as const
}

export type Exported = ReturnType<ReturnType<typeof makeExporting>["exported"]>
