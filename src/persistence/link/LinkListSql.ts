/** Lists of links, newest first. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type LinkPage, pageSize } from "../../domain/link/LinkStore.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { fewPages, type PageSpan, spanOf, wholePage } from "../shared/PageSpan.ts"
import { all, containing, first } from "../shared/Query.ts"
import { withinSearchTime } from "../shared/Searching.ts"
import { type LinkRow, linkColumns, makeLinkReader } from "./LinkRows.ts"

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

const counted = `select coalesce(sum(links), 0)::int as total from link_totals`

/** All links. The ids of a page are read from an index, then their rows. */
const makeWholeList = (sql: SqlClient.SqlClient) => {
  const read = ({ backwards, offset, size }: PageSpan) => {
    const direction = backwards ? "asc" : "desc"
    const order = sql.literal(`created_at ${direction}, id ${direction}`)
    return all(sql<Row>`with page as materialized (
        select id from links order by ${order} offset ${offset}::bigint limit ${size}::bigint
      )
      select counted.total, ${sql.literal(linkColumns)} from (${sql.literal(counted)}) counted
      left join (page join links l on l.id = page.id) on true order by l.created_at desc, l.id desc`)
  }

  return Effect.fnUntraced(function* (page: number) {
    if (page <= fewPages) return pageOf(yield* read(wholePage(page, pageSize)))
    const total = (yield* first(sql<Total>`${sql.literal(counted)}`))?.total ?? 0
    const span = spanOf(page, pageSize, total)
    return span.size === 0 ? { total, rows: [] } : pageOf(yield* read(span))
  })
}

/** Links that contain a text. Its statement is planned for each text, as plans for any text read all links. */
const makeSearch = (sql: SqlClient.SqlClient) => (text: string, page: number) =>
  Effect.map(
    all(
      sql<Row>`with found as materialized (
          select id, created_at from links where search_text like ${containing(text)}
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

export const makeLinkList = Effect.gen(function* () {
  const whole = makeWholeList(yield* QuickReads)
  const search = makeSearch(yield* SlowReads)
  const links = yield* makeLinkReader

  const find = (text: string | undefined, page: number) =>
    text === undefined ? whole(page) : withinSearchTime(search(text, page))

  return Effect.fnUntraced(function* (text: string | undefined, page: number) {
    const { rows, total } = yield* find(text, page)
    return { total, links: yield* links.ofRows(rows) } satisfies LinkPage
  })
})
