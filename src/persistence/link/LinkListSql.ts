/** Lists of links, newest first. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type LinkPage, type LinkReader, pageSize } from "../../domain/link/LinkStore.ts"
import type { ListPlace } from "../../domain/shared/ListPlace.ts"
import { QuickReads, SlowReads } from "../shared/Connections.ts"
import { pagedList } from "../shared/PagedList.ts"
import { containing } from "../shared/Query.ts"
import { type LinkRow, linkColumns, makeLinkReader } from "./LinkRows.ts"
import { hiddenLinks } from "./ReadableLinkSql.ts"

const list = pagedList<LinkRow>({
  table: "links",
  row: "l",
  columns: linkColumns,
  order: [
    ["l.created_at", "desc", "timestamptz"],
    ["l.id", "desc", "text"]
  ],
  pageSize
})

const publicTotal = "(select coalesce(sum(links), 0)::int from link_totals)"

/** A page of the public links and of the few others that the reader may see. */
const whole = (sql: SqlClient.SqlClient, reader: LinkReader, place: ListPlace) => {
  const isPublic = sql`l.is_public`
  const ids = hiddenLinks(sql, reader)
  if (ids === undefined) {
    const facts = sql`select ${sql.literal(publicTotal)} as total`
    return list.page(sql, { place, conditions: [isPublic], facts })
  }
  return list.page(sql, {
    place,
    given: sql`hidden as materialized (
      select id, created_at from links where id in (${ids}) and not is_public
    ), `,
    conditions: [],
    facts: sql`select ${sql.literal(publicTotal)} + (select count(*)::int from hidden) as total`,
    source: (order, most, after) => sql`((select l.id, l.created_at from links l
        where ${sql.and([isPublic, after])} ${order} ${most})
      union all select id, created_at from hidden) l`
  })
}

const search = (sql: SqlClient.SqlClient, reader: LinkReader, text: string, place: ListPlace) => {
  const ids = hiddenLinks(sql, reader)
  const isListed = ids === undefined ? sql`l.is_public` : sql`(l.is_public or l.id in (${ids}))`
  return list.search(sql, { place, conditions: [sql`l.search_text like ${containing(text)}`, isListed] })
}

export const makeLinkList = Effect.gen(function* () {
  const quick = yield* QuickReads
  const slow = yield* SlowReads
  const links = yield* makeLinkReader

  return Effect.fnUntraced(function* (reader: LinkReader, text: string | undefined, place: ListPlace) {
    const { next, rows, total } = yield* text === undefined
      ? whole(quick, reader, place)
      : search(slow, reader, text, place)
    return { total, next, links: yield* links.ofRows(rows) } satisfies LinkPage
  })
})
