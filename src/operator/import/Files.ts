/** Brings the bytes of assets, and of the images of the instance, to where the service has its files. */

import { createHash } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"
import { extensionOf } from "../../domain/asset/AssetName.ts"
import { makeInspection } from "../../domain/asset/Inspection.ts"
import { OperatorFailure } from "../OperatorFailure.ts"
import type { Files } from "../shared/Files.ts"
import type { Progress } from "../shared/Progress.ts"
import type { Session } from "../shared/Session.ts"
import { lineOf } from "./Copying.ts"
import { digestOf, type Input, type Member } from "./Input.ts"
import { noteFindings, schema, tableOf } from "./Staging.ts"

interface Wanted {
  readonly kind: string
  /** The record. */
  readonly id: string
  readonly line: string
  /** What the file is stored under. */
  readonly key: string
  /** What it was called, which tells between kinds of text. */
  readonly name: string
}

const staged = tableOf("assets")

/** The images of the instance are stored under the id of an upload, which their record makes up, and their size. */
export const uploadOf = (id: string) => `${schema}.other_id('0000000' || ${id})`

const imagesWanted = `(
  select 'instance_images' as kind, s.id, s.line, ${uploadOf("s.id")} || '-' || (image.value->>'size') as key,
    image.value->>'size' as size, image.value->>'sha256' as sha256
  from ${tableOf("instance_images")} s cross join lateral jsonb_array_elements(s.images) image (value)
  where s.fate is null)`

export interface FileSurroundings {
  readonly session: Session
  readonly files: Files
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** What has these bytes and does not have them yet. What is there with the same id keeps its file. */
const wanting = (session: Session, sha256: string) =>
  session.rows<Wanted & Record<string, unknown>>(
    `select kind, id, line::text as line, key, name from (
        (select distinct on (s.id) 'assets' as kind, s.id, s.line, s.id as key, s.name from ${staged} s
          where s.sha256 = $1 and s.fate is null and not exists (select from assets t where t.id = s.id)
          order by s.id, s.line)
        union all select kind, id, line, key, '' from ${imagesWanted} i where sha256 = $1
      ) wanted where not exists (select from ${schema}.files f where f.id = key)`,
    [sha256]
  )

const noteDamaged = (session: Session, wanted: ReadonlyArray<Wanted>) =>
  noteFindings(
    session,
    wanted
      .filter(({ kind }) => kind === "assets")
      .map(({ id, line }) => ({
        kind: "assets",
        line: Number(line),
        id,
        outcome: "repaired" as const,
        reason: "file_damaged" as const,
        field: "sha256"
      }))
  )

/** Stores the bytes for the first of those that have them, and copies them for the others. */
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
  // By which browsers know what a theme lets them load.
  const integrity = createHash("sha384")
  const passing = async function* () {
    for await (const part of bytes) {
      signal.throwIfAborted()
      hash.update(part)
      integrity.update(part)
      inspection.add(part)
      yield part
    }
  }
  // Noted before the bytes are stored: what is stored and never imported is removed by the service.
  const note = (key: string) =>
    session.rows(
      "insert into asset_uploads (id, store, started_at) values ($1, $2, now()) on conflict (id) do update set started_at = now(), abandoned = false",
      [key, files.store]
    )
  await note(first.key)
  await files.write(first.key, passing())
  if (hash.digest("hex") !== sha256) {
    await files.remove(first.key)
    await noteDamaged(session, wanted)
    return
  }
  for (const { key } of others) {
    await note(key)
    const { close, file } = await files.open({ store: files.store, key: first.key })
    try {
      if (file !== undefined) await files.write(key, file.bytes)
    } finally {
      await close()
    }
  }
  const known = `sha384-${integrity.digest("base64")}`
  const rows = await Promise.all(
    wanted.map(async ({ key, name }) => {
      const { height, mimeType, size, width } = await Effect.runPromise(inspection.finish(extensionOf(name)))
      return Buffer.from(lineOf([key, size, mimeType, width, height, known]))
    })
  )
  await pipeline(rows, session.copyIn(`${schema}.files (id, size, mime_type, width, height, integrity)`))
}

/** Stores the files of an archive, which come before the records that name them: it is read once more. */
const storeMembers = async (surroundings: FileSurroundings, members: AsyncIterable<Member>) => {
  const { progress, session, signal } = surroundings
  for await (const { bytes, name } of members) {
    signal.throwIfAborted()
    const sha256 = digestOf(name)
    if (sha256 === undefined) continue
    progress.at("files")
    const wanted = await wanting(session, sha256)
    if (wanted.length > 0) await store(surroundings, sha256, wanted, bytes())
  }
}

const together = 1000

/** Stores the files that records name. */
export const storeFiles = async (surroundings: FileSurroundings, { members, openFile }: Input) => {
  if (openFile === undefined) return await storeMembers(surroundings, members())
  const { progress, session, signal } = surroundings
  for (let last = ""; ; ) {
    const found = await session.rows<{ sha256: string }>(
      `select distinct sha256 from (
          select sha256 from ${staged} where fate is null union all select sha256 from ${imagesWanted} i
        ) named where sha256 > $1 order by 1 limit ${together}`,
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

/** An image that is not there in its size, as what it has to be. */
const isLost = `not exists (select from ${filesOf} where f.id = i.key and f.mime_type = 'image/png'
  and f.width || 'x' || f.height = i.size)`

/** Lets assets be what their bytes are, and notes those whose bytes are nowhere. Part of the transaction that writes. */
export const settleFiles = (session: Session) =>
  session.run(
    `update ${staged} s set size = f.size, mime_type = f.mime_type, width = f.width, height = f.height from ${filesOf}
      where f.id = s.id and s.fate is null`,
    `insert into ${schema}.findings (kind, line, id, outcome, reason, field)
      select 'assets', s.line, s.id, 'repaired', 'file_missing', 'sha256' from ${staged} s
      where s.fate is null and not exists (select from ${filesOf} where f.id = s.id)
        and not exists (select from assets t where t.id = s.id and t.created_at = s.created_at)
        and not exists (select from ${schema}.findings k where k.kind = 'assets' and k.line = s.line and k.reason = 'file_damaged')
      order by s.line`,
    `with lost as (
        update ${tableOf("instance_images")} s set fate = 'left out'
        where s.fate is null and exists (select from ${imagesWanted} i where i.line = s.line and ${isLost}) returning s.line, s.id
      )
      insert into ${schema}.findings (kind, line, id, outcome, reason, field)
        select 'instance_images', line, id, 'left out', 'file_missing', 'images' from lost order by line`
  )

/** The files that belong to something from now on. */
const belonging = `(
  select f.id from ${tableOf("assets")} s join ${filesOf} on f.id = s.id where s.fate is null
  union all select f.id from ${imagesWanted} i join ${filesOf} on f.id = i.key)`

/** Files that belong to something from now on belong to no upload any more. */
export const claimFiles = async (session: Session) => {
  const [counted] = await session.rows<{ claimed: string; wanted: string }>(
    `with claimed as (
        delete from asset_uploads u using ${belonging} b where u.id = b.id and not u.abandoned returning u.id
      )
      select (select count(*) from claimed)::text as claimed, (select count(*) from ${belonging} b)::text as wanted`
  )
  if (counted === undefined || counted.claimed === counted.wanted) return
  throw new OperatorFailure({
    message:
      "Files of the import were removed, as it did not go on for a day. Give it up by `forum import --give-up`, and begin anew."
  })
}
