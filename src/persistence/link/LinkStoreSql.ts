import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { usesMax } from "../../domain/backlink/LinkDetail.ts"
import { LinkStore } from "../../domain/link/LinkStore.ts"
import type { LinkText } from "../../domain/link/LinkText.ts"
import type { AccountId, AssetId, LinkId, NodeId, PostId } from "../../domain/shared/Id.ts"
import type { LinkAddress } from "../../domain/text/LinkAddress.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, idsOf, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { makeLinkList } from "./LinkListSql.ts"
import { type LinkRow, linkColumns, makeLinkReader } from "./LinkRows.ts"
import { searchTextOf } from "./LinkSearchText.ts"
import { makeLinkWriter, nothingKnown } from "./LinkWriter.ts"
import { readableLink } from "./ReadableLinkSql.ts"

interface TextRow {
  readonly title: string
  readonly description: string
  readonly described_by: AccountId | null
}

interface AddedRow extends TextRow {
  readonly is_added: boolean
  readonly is_readable: boolean
}

interface CopiedRow {
  readonly bytes: number
}

interface PicturesRow {
  readonly favicon_id: AssetId | null
  readonly primary_image_id: AssetId | null
}

const textOf = ({ described_by, description, title }: TextRow): LinkText => ({
  title,
  description,
  describedBy: described_by ?? undefined
})

const makeParts = Effect.gen(function* () {
  return {
    sql: yield* PgClient.PgClient,
    reads: yield* QuickReads,
    writer: yield* makeLinkWriter,
    links: yield* makeLinkReader
  } as const
})
type Parts = Effect.Success<typeof makeParts>

type Store = LinkStore["Service"]

const findOne = ({ links, reads }: Parts, condition: Statement.Fragment) =>
  Effect.map(
    Effect.flatMap(
      all(reads<LinkRow>`select ${reads.literal(linkColumns)} from links l where ${condition}`),
      links.ofRows
    ),
    ([link]) => Option.fromUndefinedOr(link)
  )

const resolve = Effect.fnUntraced(function* ({ writer }: Parts, address: LinkAddress, at: Date) {
  const [id] = yield* writer.resolve([address], at)
  return id === undefined ? yield* Effect.die(new Error(`No link for ${address.url}`)) : id
})

/** Makes a link public. One that was hidden becomes like a new one, so that it does not tell where it stood. */
const makePublic = (sql: PgClient.PgClient, id: LinkId, { url }: LinkAddress, wasSeen: boolean, at: Date) =>
  locking("link fetch")(
    wasSeen
      ? sql`update links set is_added = true, is_public = true where id = ${id}`
      : sql`with forgotten as (delete from link_fetches where link_id = ${id})
          update links set is_added = true, is_public = true, created_at = ${at}, updated_at = ${at}, title = '',
            description = '', favicon_id = null, primary_image_id = null, search_text = ${searchTextOf(url, nothingKnown)}
          where id = ${id}`
  )

const exists =
  (reads: SqlClient.SqlClient): Store["exists"] =>
  ({ url }, reader) =>
    some(reads`select from links l where l.url = ${url} and ${readableLink(reads, "l", reader)}`)

const find =
  (parts: Parts): Store["find"] =>
  (id) =>
    findOne(parts, parts.reads`l.id = ${id}`)

const findBySlug =
  (parts: Parts): Store["findBySlug"] =>
  (slug, reader) =>
    findOne(parts, parts.reads`l.slug = ${slug} and ${readableLink(parts.reads, "l", reader)}`)

const add = (parts: Parts): Store["add"] =>
  Effect.fnUntraced(function* (address, reader, at) {
    const { sql } = parts
    const id = yield* resolve(parts, address, toDate(at))
    const [row] = yield* locking("link")(sql<AddedRow>`select title, description, described_by, is_added,
        ${readableLink(sql, "l", reader)} as is_readable
      from links l where id = ${id} for no key update`)
    if (row === undefined) return yield* Effect.die(new Error(`No link for ${address.url}`))
    if (!row.is_added) yield* makePublic(sql, id, address, row.is_readable, toDate(at))
    return {
      id,
      text: row.is_added || row.is_readable ? textOf(row) : { ...nothingKnown, describedBy: undefined }
    }
  }, orDefect)

const resolveAll =
  ({ writer }: Parts): Store["resolveAll"] =>
  (addresses, at) =>
    orDefect(writer.resolve(addresses, toDate(at)))

const setNodeLinks =
  ({ writer }: Parts): Store["setNodeLinks"] =>
  (node, links) =>
    orDefect(writer.setNodeLinks(node, links))

const findTextForUpdate =
  (sql: PgClient.PgClient): Store["findTextForUpdate"] =>
  (id) =>
    Effect.map(
      first(
        locking("link")(sql<TextRow>`select title, description, described_by from links
          where id = ${id} for no key update`)
      ),
      (row) => Option.map(Option.fromUndefinedOr(row), textOf)
    )

const findPictures =
  (reads: SqlClient.SqlClient): Store["findPictures"] =>
  (id) =>
    Effect.map(
      first(reads<PicturesRow>`select favicon_id, primary_image_id from links where id = ${id}`),
      (row) => ({
        favicon: row?.favicon_id ?? undefined,
        primaryImage: row?.primary_image_id ?? undefined
      })
    )

const addPictures =
  (sql: PgClient.PgClient): Store["addPictures"] =>
  (id, { favicon, primaryImage }, at) =>
    favicon === undefined && primaryImage === undefined
      ? Effect.void
      : run(
          locking("link")(sql`update links set favicon_id = coalesce(favicon_id, ${favicon ?? null}),
              primary_image_id = coalesce(primary_image_id, ${primaryImage ?? null}), updated_at = ${toDate(at)}
            where id = ${id}`)
        )

const findCopied =
  (reads: SqlClient.SqlClient): Store["findCopied"] =>
  (day) =>
    Effect.map(
      first(
        reads<CopiedRow>`select bytes::float8 as bytes from link_picture_totals where day = ${day}::date`
      ),
      (row) => row?.bytes ?? 0
    )

const countCopied =
  (sql: PgClient.PgClient): Store["countCopied"] =>
  (bytes, day) =>
    run(
      locking("link pictures")(sql`insert into link_picture_totals as t (day, bytes)
        values (${day}::date, ${bytes}::bigint)
        on conflict (is_only) do update set day = excluded.day,
          bytes = excluded.bytes + case when t.day = excluded.day then t.bytes else 0 end`)
    )

const setText = (sql: PgClient.PgClient): Store["setText"] =>
  Effect.fnUntraced(function* (id, text, at) {
    const [row] = yield* sql<{ readonly url: string }>`select url from links where id = ${id}`
    yield* sql`update links set title = ${text.title}, description = ${text.description},
        described_by = ${text.describedBy ?? null}, search_text = ${searchTextOf(row?.url ?? "", text)},
        updated_at = ${toDate(at)}
      where id = ${id}`
  }, orDefect)

const threadsAbout =
  (reads: SqlClient.SqlClient): Store["threadsAbout"] =>
  (id) =>
    idsOf(
      reads<{ readonly id: PostId }>`select id from threads
        where link_id = ${id} and visibility = 'published' and deleted_at is null
        order by id desc limit ${reads.literal(String(usesMax))}`
    )

const nodesAbout =
  (reads: SqlClient.SqlClient): Store["nodesAbout"] =>
  (id) =>
    idsOf(
      reads<{ readonly id: NodeId }>`select id from nodes
        where link_id = ${id} and visibility = 'published'
        order by id desc limit ${reads.literal(String(usesMax))}`
    )

export const layer = Layer.effect(
  LinkStore,
  Effect.gen(function* () {
    const parts = yield* makeParts
    const { sql, reads } = parts

    return LinkStore.of({
      exists: exists(reads),
      find: find(parts),
      findBySlug: findBySlug(parts),
      add: add(parts),
      resolveAll: resolveAll(parts),
      setNodeLinks: setNodeLinks(parts),
      findTextForUpdate: findTextForUpdate(sql),
      findPictures: findPictures(reads),
      addPictures: addPictures(sql),
      findCopied: findCopied(reads),
      countCopied: countCopied(sql),
      setText: setText(sql),
      list: yield* makeLinkList,
      threadsAbout: threadsAbout(reads),
      nodesAbout: nodesAbout(reads)
    })
  })
)
