/** Brings the bytes of assets to where the service has its files. */

import { createHash } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"
import { makeInspection } from "../../domain/asset/Inspection.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import type { Files } from "../shared/Files.ts"
import type { Progress } from "../shared/Progress.ts"
import type { Session } from "../shared/Session.ts"
import { lineOf } from "./Copying.ts"
import type { Input, Member } from "./Input.ts"
import { noteFindings, schema, tableOf } from "./Staging.ts"

interface Wanted {
  readonly id: string
  readonly line: string
  readonly filename: string
  readonly size: string
}

const staged = tableOf("assets")

export interface FileSurroundings {
  readonly session: Session
  readonly files: Files
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** Assets that have these bytes and do not have them yet. What is there with the same id keeps its file. */
const wanting = (session: Session, sha256: string) =>
  session.rows<Wanted & Record<string, unknown>>(
    `select distinct on (s.id) s.id, s.line::text as line, s.filename, s.size::text as size from ${staged} s
      where s.sha256 = $1 and s.fate is null and not exists (select from ${schema}.files f where f.id = s.id)
        and not exists (select from assets t where t.id = s.id)
      order by s.id, s.line`,
    [sha256]
  )

const extensionOf = (filename: string) => /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ""

/** Stores the bytes for the first of the assets, and copies them for the others. */
const store = async (
  { files, session, signal }: FileSurroundings,
  sha256: string,
  wanted: ReadonlyArray<Wanted>,
  bytes: AsyncIterable<Uint8Array>
) => {
  const [first, ...others] = wanted
  if (first === undefined) return
  const inspection = makeInspection()
  const hash = createHash("sha256")
  const passing = async function* () {
    for await (const part of bytes) {
      signal.throwIfAborted()
      hash.update(part)
      inspection.add(part)
      yield part
    }
  }
  // Noted before the bytes are stored: what is stored and never imported is removed by the service.
  const note = (id: string) =>
    session.rows(
      "insert into asset_uploads (id, store, started_at) values ($1, $2, now()) on conflict (id) do update set started_at = now(), abandoned = false",
      [id, files.store]
    )
  await note(first.id)
  await files.write(first.id, passing())
  if (hash.digest("hex") !== sha256) {
    await files.remove(first.id)
    await noteFindings(
      session,
      wanted.map(({ id, line }) => ({
        kind: "assets",
        line: Number(line),
        id,
        outcome: "repaired" as const,
        reason: "file_damaged" as const,
        field: "sha256"
      }))
    )
    return
  }
  for (const { id } of others) {
    await note(id)
    const { close, file } = await files.open({ store: files.store, key: first.id })
    try {
      if (file !== undefined) await files.write(id, file.bytes)
    } finally {
      await close()
    }
  }
  const rows = await Promise.all(
    wanted.map(async ({ filename, id }) => {
      const { height, mimeType, size, width } = await Effect.runPromise(
        inspection.finish(extensionOf(filename))
      )
      return Buffer.from(lineOf([id, size, mimeType, width, height]))
    })
  )
  await pipeline(rows, session.copyIn(`${schema}.files (id, size, mime_type, width, height)`))
}

/** The digest that the name of a file has. */
const digestOf = (name: string) => /^files\/([0-9a-f]{64})$/.exec(name)?.[1]

/** Stores a file of an archive, whose records come before its files. */
export const storeMember = async (surroundings: FileSurroundings, { bytes, name }: Member) => {
  const sha256 = digestOf(name)
  if (sha256 === undefined) return
  const wanted = await wanting(surroundings.session, sha256)
  if (wanted.length > 0) await store(surroundings, sha256, wanted, bytes())
}

const together = 1000

/** Stores the files of a directory. */
export const storeFiles = async (surroundings: FileSurroundings, { openFile }: Input) => {
  if (openFile === undefined) return
  const { progress, session, signal } = surroundings
  for (let last = ""; ; ) {
    const found = await session.rows<{ sha256: string }>(
      `select distinct sha256 from ${staged} where sha256 > $1 and fate is null order by 1 limit ${together}`,
      [last]
    )
    for (const { sha256 } of found) {
      signal.throwIfAborted()
      progress.at("files")
      const wanted = await wanting(session, sha256)
      const bytes = wanted.length === 0 ? undefined : await openFile(sha256)
      if (bytes !== undefined) await store(surroundings, sha256, wanted, bytes)
      last = sha256
    }
    if (found.length < together) return
  }
}

const filesOf = `${schema}.files f`

/** Lets assets be what their bytes are, and notes those whose bytes are nowhere. Part of the transaction that writes. */
export const settleFiles = (session: Session) =>
  session.run(
    `update ${staged} s set size = f.size, mime_type = f.mime_type, width = f.width, height = f.height from ${filesOf}
      where f.id = s.id and s.fate is null`,
    `insert into ${schema}.findings (kind, line, id, outcome, reason, field)
      select 'assets', s.line, s.id, 'repaired', 'file_missing', 'sha256' from ${staged} s
      where s.fate is null and not exists (select from ${filesOf} where f.id = s.id)
        and not exists (select from ${schema}.findings k where k.kind = 'assets' and k.line = s.line and k.reason = 'file_damaged')
      order by s.line`
  )

/** Files that belong to assets from now on belong to no upload any more. */
export const claimFiles = async (session: Session) => {
  const [counted] = await session.rows<{ claimed: string; wanted: string }>(
    `with claimed as (
        delete from asset_uploads u using ${staged} s, ${filesOf}
        where u.id = s.id and f.id = s.id and s.fate is null and not u.abandoned returning u.id
      )
      select (select count(*) from claimed)::text as claimed,
        (select count(*) from ${staged} s join ${filesOf} on f.id = s.id where s.fate is null)::text as wanted`
  )
  if (counted === undefined || counted.claimed === counted.wanted) return
  throw new OperatorFailure({
    message:
      "Files of the import were removed, as it did not go on for a day. Give it up by `forum import --give-up`, and begin anew."
  })
}
