/** Lists whose large rows take several places, so that all rows are found to know which of them are on a page. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { ListPlace } from "../../domain/shared/ListPlace.ts"
import { type Identified, type Listed, type ListPage, listPage, type Total } from "./PagedList.ts"
import { placesBefore, placesOf, totalOf } from "./Places.ts"
import { all } from "./Query.ts"
import { checkKey, isAfter, keyOf, orderText, type RowOrder } from "./RowOrder.ts"

export interface FoundRows {
  readonly place: ListPlace
  readonly pageSize: number
  /** A query for the rows. */
  readonly found: Statement.Fragment
  /** About how many bytes of an answer a row of `found` takes; null if nothing is known of it. */
  readonly size: string
  /** The order of the rows of `found`, by its columns. */
  readonly order: RowOrder
  /** What is read of a row of `page`, its `id` included. */
  readonly columns: string
  /** What is joined to `page`. */
  readonly joins?: string
  readonly isPrepared?: boolean
}

interface Found extends Total {
  /** The place that the page begins at. */
  readonly start: number
}

/** The place that a page begins at: that of the first row after the last one shown, which may be there no more. */
const startOf = (sql: SqlClient.SqlClient, order: RowOrder, pageSize: number, { after, page }: ListPlace) =>
  after === undefined
    ? sql`${(page - 1) * pageSize}::bigint`
    : sql`coalesce((select min(before) from placed where ${isAfter(sql, order, after)}), ${sql.literal(totalOf("placed"))})`

/** A page of the rows that a query finds. */
export const foundPage = <Row extends Identified>(
  sql: SqlClient.SqlClient,
  { columns, found, isPrepared = true, joins, order, pageSize, place, size }: FoundRows
): Effect.Effect<ListPage<Total, Row>> => {
  const shown = joins === undefined ? "page" : `(page ${joins})`
  const statement = sql<Listed<Found, Row>>`with found as materialized (${found}),
    sized as materialized (
      select *, ${sql.literal(placesOf(`coalesce(${size}, 0)`, pageSize))} as places from found
    ), placed as materialized (
      select *, ${sql.literal(placesBefore("places", orderText(order, false)))} as before from sized
    ), facts as materialized (
      select ${sql.literal(totalOf("placed"))} as total, ${startOf(sql, order, pageSize, place)} as start
    ), page as materialized (
      select *, ${sql.literal(keyOf(order))} as row_key from placed
      where before >= (select start from facts) and before < (select start from facts) + ${pageSize}::int
    )
    select facts.total, facts.start::float8 as start, page.row_key, ${sql.literal(columns)} from facts
    left join ${sql.literal(shown)} on true order by page.before`
  return Effect.andThen(
    checkKey(order, place),
    Effect.map(all(isPrepared ? statement : statement.unprepared), (listed) => {
      const [facts] = listed
      return listPage<Found, Row>(listed, facts !== undefined && facts.total > facts.start + pageSize)
    })
  )
}
