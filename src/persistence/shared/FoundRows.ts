/** Lists whose large rows take several places, so that all rows are found to know which of them are on a page. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { type Identified, type Listed, type ListPage, listPage, type Total } from "./PagedList.ts"
import { placesBefore, placesOf, totalOf } from "./Places.ts"
import { all } from "./Query.ts"

export interface FoundRows {
  readonly page: number
  readonly pageSize: number
  /** A query for the rows. */
  readonly found: Statement.Fragment
  /** About how many bytes of an answer a row of `found` takes; null if nothing is known of it. */
  readonly size: string
  /** The order of the rows of `found`. */
  readonly order: string
  /** What is read of a row of `page`, its `id` included. */
  readonly columns: string
  /** What is joined to `page`. */
  readonly joins?: string
  readonly isPrepared?: boolean
}

/** A page of the rows that a query finds. */
export const foundPage = <Row extends Identified>(
  sql: SqlClient.SqlClient,
  { columns, found, isPrepared = true, joins, order, page, pageSize, size }: FoundRows
): Effect.Effect<ListPage<Total, Row>> => {
  const shown = joins === undefined ? "page" : `(page ${joins})`
  const statement = sql<Listed<Total, Row>>`with found as materialized (${found}),
    sized as materialized (
      select *, ${sql.literal(placesOf(`coalesce(${size}, 0)`, pageSize))} as places from found
    ), placed as materialized (
      select *, ${sql.literal(placesBefore("places", order))} as before from sized
    ), page as materialized (
      select * from placed
      where before >= ${(page - 1) * pageSize}::bigint and before < ${page * pageSize}::bigint
    )
    select facts.total, ${sql.literal(columns)} from (select ${sql.literal(totalOf("placed"))} as total) facts
    left join ${sql.literal(shown)} on true order by page.before`
  return Effect.map(all(isPrepared ? statement : statement.unprepared), (listed) =>
    listPage<Total, Row>(listed)
  )
}
