/** Lists of links, newest first. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { LinkReader } from "../../domain/link/LinkReader.ts"
import { type LinkPage, pageSize } from "../../domain/link/LinkStore.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, containing, first } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { type LinkRow, linkColumns, makeLinkReader } from "./LinkRows.ts"
import { hiddenLinks } from "./ReadableLinkSql.ts"

interface Total {
  readonly total: number
}

/** The total, with a listed link or nothing. */
type Row = Total & (LinkRow | { readonly id: null })

const hasLink = (row: Row): row is Total & LinkRow => row.id !== null

interface Found {
  readonly total: number
  readonly rows: ReadonlyArray<LinkRow>
}

const pageOf = (rows: ReadonlyArray<Row>): Found => ({
  total: rows[0]?.total ?? 0,
  rows: rows.filter(hasLink)
})

const publicTotal = `(select coalesce(sum(links), 0)::int from link_totals)`

/** Public links, and those that this reader sees beside them. The ids of a page are read from an index, then their rows. */
const makeWholeList = (sql: SqlClient.SqlClient) => {
  /** The links that are not public, and how many there are of all. */
  const seenBy = (reader: LinkReader) => {
    const ids = hiddenLinks(sql, reader)
    return ids === undefined
      ? { hidden: undefined, total: sql`select ${sql.literal(publicTotal)} as total` }
      : {
          hidden: sql`hidden as materialized (
            select id, created_at from links where id in (${ids}) and not is_public
          ), `,
          total: sql`select ${sql.literal(publicTotal)} + (select count(*)::int from hidden) as total`
        }
  }

  const read = (reader: LinkReader, { backwards, offset, size }: PageSpan) => {
    const direction = backwards ? "asc" : "desc"
    const order = sql.literal(`created_at ${direction}, id ${direction}`)
    const { hidden, total } = seenBy(reader)
    const listed =
      hidden === undefined
        ? sql`links where is_public`
        : sql`((select id, created_at from links where is_public order by ${order}
            limit ${offset}::bigint + ${size}::bigint) union all select id, created_at from hidden) listed`
    return all(sql<Row>`with ${hidden ?? sql``}page as materialized (
        select id from ${listed} order by ${order} offset ${offset}::bigint limit ${size}::bigint
      )
      select counted.total, ${sql.literal(linkColumns)} from (${total}) counted
      left join (page join links l on l.id = page.id) on true order by l.created_at desc, l.id desc`)
  }

  const totalOf = (reader: LinkReader) => {
    const { hidden, total } = seenBy(reader)
    return first(
      hidden === undefined
        ? sql<Total>`${total}`
        : sql<Total>`with ${hidden}counted as (${total}) select total from counted`
    )
  }

  return Effect.fnUntraced(function* (reader: LinkReader, page: number) {
    if (page <= fewPages) return pageOf(yield* read(reader, wholePage(page, pageSize)))
    const total = (yield* totalOf(reader))?.total ?? 0
    const span = spanOf(page, pageSize, total)
    return span.size === 0 ? { total, rows: [] } : pageOf(yield* read(reader, span))
  })
}

/** Links that contain a text. Its statement is planned for each text, as plans for any text read all links. */
const makeSearch = (sql: SqlClient.SqlClient) => (reader: LinkReader, text: string, page: number) =>
  Effect.map(
    all(
      sql<Row>`with found as materialized (
          select l.id, l.created_at from links l
          where l.search_text like ${containing(text)} and ${isListed(sql, reader)}
        ), page as (
          select id from found order by created_at desc, id desc
          offset ${(page - 1) * pageSize}::bigint limit ${pageSize}::bigint
        )
        select counted.total, ${sql.literal(linkColumns)} from (select count(*)::int as total from found) counted
        left join (page join links l on l.id = page.id) on true order by l.created_at desc, l.id desc`
        .unprepared
    ),
    pageOf
  )

const isListed = (sql: SqlClient.SqlClient, reader: LinkReader) => {
  const ids = hiddenLinks(sql, reader)
  return ids === undefined ? sql`l.is_public` : sql`(l.is_public or l.id in (${ids}))`
}

export const makeLinkList = Effect.gen(function* () {
  const whole = makeWholeList(yield* QuickReads)
  const search = makeSearch(yield* SlowReads)
  const links = yield* makeLinkReader

  const find = (reader: LinkReader, text: string | undefined, page: number) =>
    text === undefined ? whole(reader, page) : withinSearchTime(search(reader, text, page))

  return Effect.fnUntraced(function* (reader: LinkReader, text: string | undefined, page: number) {
    const { rows, total } = yield* find(reader, text, page)
    return { total, links: yield* links.ofRows(rows) } satisfies LinkPage
  })
})
