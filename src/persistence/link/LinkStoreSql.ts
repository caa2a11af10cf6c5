import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { Statement } from "effect/sql"
import { usesMax } from "../../domain/backlink/LinkDetail.ts"
import { LinkStore } from "../../domain/link/LinkStore.ts"
import type { LinkText } from "../../domain/link/LinkText.ts"
import type { AccountId, AssetId, LinkId, NodeId, PostId } from "../../domain/shared/Id.ts"
import type { LinkAddress } from "../../domain/text/LinkAddress.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { all, first, run, some } from "../shared/Query.ts"
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

export const layer = Layer.effect(
  LinkStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const writer = yield* makeLinkWriter
    const columns = reads.literal(linkColumns)

    const links = yield* makeLinkReader

    const one = (condition: Statement.Fragment) =>
      Effect.map(
        Effect.flatMap(all(reads<LinkRow>`select ${columns} from links l where ${condition}`), links.ofRows),
        ([link]) => Option.fromUndefinedOr(link)
      )

    const resolve = Effect.fnUntraced(function* (address: LinkAddress, at: Date) {
      const [id] = yield* writer.resolve([address], at)
      return id === undefined ? yield* Effect.die(new Error(`No link for ${address.url}`)) : id
    })

    /** Makes a link public, and one that was not to be seen like a new one: so it does not tell where it stood. */
    const makePublic = (id: LinkId, { url }: LinkAddress, wasSeen: boolean, at: Date) =>
      locking("link fetch")(
        wasSeen
          ? sql`update links set is_added = true, is_public = true where id = ${id}`
          : sql`with forgotten as (delete from link_fetches where link_id = ${id})
              update links set is_added = true, is_public = true, created_at = ${at}, updated_at = ${at}, title = '',
                description = '', favicon_id = null, primary_image_id = null, search_text = ${searchTextOf(url, nothingKnown)}
              where id = ${id}`
      )

    return LinkStore.of({
      exists: ({ url }, reader) =>
        some(reads`select from links l where l.url = ${url} and ${readableLink(reads, "l", reader)}`),

      find: (id) => one(reads`l.id = ${id}`),

      findBySlug: (slug, reader) => one(reads`l.slug = ${slug} and ${readableLink(reads, "l", reader)}`),

      add: Effect.fnUntraced(function* (address, reader, at) {
        const id = yield* resolve(address, toDate(at))
        const [row] = yield* locking("link")(sql<AddedRow>`select title, description, described_by, is_added,
            ${readableLink(sql, "l", reader)} as is_readable
          from links l where id = ${id} for no key update`)
        if (row === undefined) return yield* Effect.die(new Error(`No link for ${address.url}`))
        if (!row.is_added) yield* makePublic(id, address, row.is_readable, toDate(at))
        return {
          id,
          text: row.is_added || row.is_readable ? textOf(row) : { ...nothingKnown, describedBy: undefined }
        }
      }, orDefect),

      resolveAll: (addresses, at) => orDefect(writer.resolve(addresses, toDate(at))),

      setNodeLinks: (node, links) => orDefect(writer.setNodeLinks(node, links)),

      findTextForUpdate: (id) =>
        Effect.map(
          first(
            locking("link")(sql<TextRow>`select title, description, described_by from links
              where id = ${id} for no key update`)
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), textOf)
        ),

      findPictures: (id) =>
        Effect.map(
          first(reads<PicturesRow>`select favicon_id, primary_image_id from links where id = ${id}`),
          (row) => ({
            favicon: row?.favicon_id ?? undefined,
            primaryImage: row?.primary_image_id ?? undefined
          })
        ),

      addPictures: (id, { favicon, primaryImage }, at) =>
        favicon === undefined && primaryImage === undefined
          ? Effect.void
          : run(
              locking("link")(sql`update links set favicon_id = coalesce(favicon_id, ${favicon ?? null}),
                  primary_image_id = coalesce(primary_image_id, ${primaryImage ?? null}), updated_at = ${toDate(at)}
                where id = ${id}`)
            ),

      findCopied: (day) =>
        Effect.map(
          first(
            reads<CopiedRow>`select bytes::float8 as bytes from link_picture_totals where day = ${day}::date`
          ),
          (row) => row?.bytes ?? 0
        ),

      countCopied: (bytes, day) =>
        run(
          locking("link pictures")(sql`insert into link_picture_totals as t (day, bytes)
            values (${day}::date, ${bytes}::bigint)
            on conflict (is_only) do update set day = excluded.day,
              bytes = excluded.bytes + case when t.day = excluded.day then t.bytes else 0 end`)
        ),

      setText: Effect.fnUntraced(function* (id, text, at) {
        const [row] = yield* sql<{ readonly url: string }>`select url from links where id = ${id}`
        yield* sql`update links set title = ${text.title}, description = ${text.description},
            described_by = ${text.describedBy ?? null}, search_text = ${searchTextOf(row?.url ?? "", text)},
            updated_at = ${toDate(at)}
          where id = ${id}`
      }, orDefect),

      list: yield* makeLinkList,

      threadsAbout: (id) =>
        Effect.map(
          all(
            reads<{ readonly id: PostId }>`select id from threads
              where link_id = ${id} and visibility = 'published' and deleted_at is null
              order by id desc limit ${reads.literal(String(usesMax))}`
          ),
          (rows) => rows.map(({ id }) => id)
        ),

      nodesAbout: (id) =>
        Effect.map(
          all(
            reads<{ readonly id: NodeId }>`select id from nodes
              where link_id = ${id} and visibility = 'published'
              order by id desc limit ${reads.literal(String(usesMax))}`
          ),
          (rows) => rows.map(({ id }) => id)
        )
    })
  })
)
