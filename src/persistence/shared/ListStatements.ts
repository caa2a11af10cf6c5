/** The statements that read pages of a list of rows of a table. */
import type { SqlClient, Statement } from "effect/sql"
import type { RowKey } from "../../domain/shared/ListPlace.ts"
import { extraPlaces } from "./LargeRows.ts"
import type { Identified, Listed, ListQuery, ListShape } from "./PagedList.ts"
import type { PageSpan } from "./PageSpan.ts"
import { isAfter, keyOf, orderText, rangesAfter } from "./RowOrder.ts"

export const listStatements = <Row extends Identified, Facts>(shape: ListShape) => {
  const { order, pageSize, row } = shape
  const forwards = orderText(order, false)
  const table = `${shape.table} ${row}`
  const sizes = shape.size === undefined ? undefined : { table, id: `${row}.id`, size: shape.size, pageSize }
  const found = shape.isNarrow ? shape.columns : `${row}.id`
  const ordered = [...new Set([`${row}.id`, ...order.map(([column]) => column)])].join(", ")
  const shown = shape.isNarrow ? `page ${row}` : `(page join ${table} on ${row}.id = page.id)`
  const onFacts = sizes === undefined ? "true" : "facts.extra = 0"

  /** The rows that a query for `page` finds, and where they stand in the order. */
  const beside = (
    sql: SqlClient.SqlClient,
    query: ListQuery,
    page: Statement.Fragment,
    facts: Statement.Fragment
  ) =>
    sql<Listed<Facts, Row>>`with ${query.given ?? sql.literal("")} page as materialized (${page})
      select facts.*, ${sql.literal(shape.columns)} ${query.columns ?? sql.literal("")},
        ${sql.literal(keyOf(order))} as row_key
      from (${facts}) facts left join ${sql.literal(shown)} on ${sql.literal(onFacts)} ${query.joins ?? sql.literal("")}
      order by ${sql.literal(forwards)}`

  /** The rows of a span; a constant limit, and no offset where there is none, tell the planner how few are read. */
  const spanned = (sql: SqlClient.SqlClient, query: ListQuery, { backwards, offset }: PageSpan) => {
    const inOrder = sql.literal(`order by ${orderText(order, backwards)}`)
    const source = query.source?.(inOrder, sql`limit ${offset + pageSize}::bigint`, sql.literal("true"))
    return sql`select ${sql.literal(found)} from ${
      source ?? sql`${sql.literal(table)} where ${sql.and(query.conditions)}`
    } ${inOrder} ${offset === 0 ? sql.literal("") : sql`offset ${offset}::bigint`} ${sql.literal(`limit ${pageSize}`)}`
  }

  /** The first rows after a key, one more than a page has; from each range after it that many, found by the index. */
  const spannedAfter = (sql: SqlClient.SqlClient, query: ListQuery, after: RowKey) => {
    const inOrder = sql.literal(`order by ${forwards}`)
    const most = sql.literal(`limit ${pageSize + 1}`)
    const isNext = isAfter(sql, order, after)
    const source = query.source?.(inOrder, most, isNext)
    if (source !== undefined)
      return sql`select ${sql.literal(found)} from ${source} where ${isNext} ${inOrder} ${most}`
    const columns = sql.literal(shape.isNarrow ? shape.columns : ordered)
    const parts = rangesAfter(sql, order, after).map(
      (range) => sql`(select ${columns} from ${sql.literal(table)}
        where ${sql.and([...query.conditions, range])} ${inOrder} ${most})`
    )
    return sql`select ${sql.literal(found)} from (${sql.join(" union all ", false)(parts)}) ${sql.literal(row)} ${inOrder} ${most}`
  }

  /** The facts, with the extra places of large rows where rows may be large. */
  const factsOf = (sql: SqlClient.SqlClient, { conditions, facts }: ListQuery) => {
    const counted =
      facts ?? sql`select count(*)::int as total from ${sql.literal(table)} where ${sql.and(conditions)}`
    return sizes === undefined
      ? counted
      : sql`select counted.*, ${extraPlaces(sql, sizes, conditions)} as extra from (${counted}) counted`
  }

  /** A list of the rows that fulfil conditions, or of the first `most` of them, which are found once. */
  const searched = (
    sql: SqlClient.SqlClient,
    query: Pick<ListQuery, "place" | "conditions" | "joins"> & { readonly most?: number }
  ): ListQuery => {
    const columns = shape.isNarrow ? shape.columns : ordered
    const first =
      query.most === undefined ? sql.literal("") : sql.literal(`order by ${forwards} limit ${query.most}`)
    return {
      ...query,
      given: sql`found as materialized (
        select ${sql.literal(columns)} from ${sql.literal(table)} where ${sql.and(query.conditions)} ${first}),`,
      conditions: [sql`${sql.literal(`${row}.id`)} = any(array(select id from found))`],
      facts: sql`select count(*)::int as total from found`,
      source: () => sql.literal(`found ${row}`)
    }
  }

  return { sizes, beside, spanned, spannedAfter, factsOf, searched } as const
}
