/** Writes what was converted in the form of exports. */
import { fileOf, importedKinds, kinds, partLength } from "../../domain/exchange/Kinds.ts"
import { Contents, contentsName, Manifest, manifestName, manifestOf } from "../../domain/exchange/Manifest.ts"
import { makeParts, type PartOfContents } from "../../persistence/exchange/Parts.ts"
import { jsonMember } from "../shared/Members.ts"
import type { Progress } from "../shared/Progress.ts"
import type { Member } from "../shared/Tar.ts"
import type { Converted, KindName } from "./shared/Conversion.ts"
import { textOf } from "./shared/Fields.ts"
import { storedFile } from "./shared/Files.ts"
import { rules } from "./shared/Rules.ts"
import type { Scratch } from "./shared/Scratch.ts"

const isKind = (name: string): name is KindName => name !== "left_out"

const order: ReadonlyArray<KindName> = [...Object.keys(kinds), ...Object.keys(importedKinds)].filter(
  (name): name is KindName => isKind(name) && (name in kinds || name in importedKinds)
)

const reasonOf = (rule: unknown): string =>
  Object.entries(rules).find(([name]) => name === rule)?.[1] ?? textOf(rule)

/** What is not taken over, for the report of the import. */
const leftOut = function* (scratch: Scratch) {
  for (const { detail, id, kind, rule } of scratch.each(
    "select kind, id, rule, detail from findings order by kind, id, rule"
  ))
    yield {
      kind,
      id,
      reason: `${rule}: ${reasonOf(rule)}${detail === "" ? "" : ` (${detail})`}`
    }
}

export interface Written {
  readonly records: Readonly<Record<string, number>>
  readonly files: Contents["files"]
}

/** The members of the export; `written` is what they were, once all of them were read. */
export const makeWriting = (
  scratch: Scratch,
  { address, records, title }: Converted,
  madeBy: string,
  progress: Progress
) => {
  const parts: Array<PartOfContents> = []
  const counts: Record<string, number> = {}
  const files = { number: 0, bytes: 0 }

  const kindMembers = function* (kind: string, items: Iterable<object>): Generator<Member> {
    const cutting = makeParts(kind, (part) => {
      parts.push(part)
      counts[kind] = (counts[kind] ?? 0) + part.records
    })
    let done = 0
    // Few large pieces are quicker than many small ones.
    let waiting = ""
    for (const item of items) {
      waiting += `${JSON.stringify(item)}\n`
      if (waiting.length < partLength / 64) continue
      done += waiting.length
      progress.at(`writing ${kind}`, done)
      yield* cutting.add(Buffer.from(waiting))
      waiting = ""
    }
    yield* cutting.add(Buffer.from(waiting))
    yield* cutting.end()
  }

  const fileMembers = function* (): Generator<Member> {
    for (const { sha256, size } of scratch.each(
      "select distinct f.sha256, f.size from files f join wanted_files w on w.sha256 = f.sha256 order by 1"
    )) {
      files.number += 1
      files.bytes += Number(size)
      progress.at("writing files", files.bytes)
      yield { name: fileOf(textOf(sha256)), size: Number(size), bytes: storedFile(scratch, textOf(sha256)) }
    }
  }

  /** Only files that a record names are part of an export. */
  const noting = function* (items: Iterable<object>) {
    for (const item of items) {
      if ("sha256" in item && typeof item.sha256 === "string")
        scratch.run("insert or ignore into wanted_files values (?)", item.sha256)
      yield item
    }
  }

  const members = async function* (): AsyncGenerator<Member> {
    scratch.exec(
      "create table if not exists wanted_files (sha256 text primary key) without rowid; delete from wanted_files"
    )
    yield jsonMember(
      manifestName,
      Manifest,
      manifestOf({ made_by: madeBy, title, address, with_addresses: true })
    )
    for (const kind of order) {
      const items = records[kind]?.()
      if (items !== undefined) yield* kindMembers(kind, noting(items))
    }
    yield* kindMembers("left_out", leftOut(scratch))
    yield* fileMembers()
    yield jsonMember(contentsName, Contents, { parts, files, missing_files: 0 })
  }

  return { members: members(), written: (): Written => ({ records: counts, files }) } as const
}
