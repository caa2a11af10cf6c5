/**
 * Pages of lists that may be very long and of which a few rows may be large. An index contains the large rows, so that
 * a list without any is recognised, and read by its order as if every row took one place.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { RowKey } from "../../domain/shared/ListPlace.ts"
import { lightMax, placesBefore, placesOf } from "./Places.ts"
import { all } from "./Query.ts"
import { isAfter, isBefore, orderText, type RowOrder } from "./RowOrder.ts"

/** The size of the rows of a table, which decides how many places of a page each takes. */
export interface RowSizes {
  /** A table and its alias. */
  readonly table: string
  readonly id: string
  /** About how many bytes of an answer a row takes; an index has the rows where it is more than `lightMax`. */
  readonly size: string
  readonly pageSize: number
}

export interface PlacedList {
  /** Table expressions that the conditions name, each with a comma after it. */
  readonly given?: Statement.Fragment
  readonly conditions: ReadonlyArray<Statement.Fragment>
  readonly order: RowOrder
  /** Columns that are equal in all rows of the list, with which the index of its order begins. */
  readonly prefix?: RowOrder
}

/** The length of a list: its rows, and how many places large ones take beyond one each. */
export interface Standing {
  readonly total: number
  readonly extra: number
}

const largeIn = (
  sql: SqlClient.SqlClient,
  { pageSize, size }: RowSizes,
  conditions: ReadonlyArray<Statement.Fragment>
) => sql.and([sql.literal(`${size} > ${lightMax(pageSize)}`), ...conditions])

const beyondOne = (sizes: RowSizes) => `coalesce(sum(${placesOf(sizes.size, sizes.pageSize)} - 1), 0)::int`

/** How many places the large rows that fulfil the conditions take beyond one each. */
export const extraPlaces = (
  sql: SqlClient.SqlClient,
  sizes: RowSizes,
  conditions: ReadonlyArray<Statement.Fragment>
): Statement.Fragment =>
  sql`(select ${sql.literal(beyondOne(sizes))} from ${sql.literal(sizes.table)}
    where ${largeIn(sql, sizes, conditions)})`

/** How many places a list has up to the first place of its last row. */
const placesIn = (
  sql: SqlClient.SqlClient,
  { pageSize, size, table }: RowSizes,
  { conditions, order, prefix = [] }: PlacedList,
  { extra, total }: Standing
): Statement.Fragment =>
  sql`select ${total + extra + 1}::int - coalesce((
    select ${sql.literal(placesOf(size, pageSize))} from ${sql.literal(table)} where ${sql.and(conditions)}
    order by ${sql.literal(orderText([...prefix, ...order], true))} limit 1), 1)::int as total`

/**
 * The ids of the rows of a page, in order, and how many places the list has. The page begins at most `extra` rows
 * earlier than if each row took one place, so rows are read from there on, and the first place of each is counted.
 */
export const placedPage = <Id extends string>(
  sql: SqlClient.SqlClient,
  sizes: RowSizes,
  list: PlacedList,
  { extra, page, total }: Standing & { readonly page: number }
) => {
  const { conditions, given = sql.literal(""), order, prefix = [] } = list
  const { pageSize, size } = sizes
  const start = (page - 1) * pageSize
  const passed = Math.max(0, start - extra)
  const indexed = [...prefix, ...order]
  const [id, table, forwards] = [sizes.id, sizes.table, orderText(indexed, false)].map(sql.literal)
  const places = placesOf(size, pageSize)
  const where = sql`where ${sql.and(conditions)}`
  const keys = order.map(([column], index) => `${column} as key_${index}`).join(", ")
  return Effect.map(
    all(
      sql<{ readonly id: Id | null; readonly total: number }>`with ${given} span as materialized (
          select ${id} as id from ${table} ${where} order by ${forwards}
          offset ${passed}::bigint limit ${start + pageSize - passed}::bigint
        ), placed as materialized (
          select span.id, ${sql.literal(keys)}, ${sql.literal(placesBefore(places, orderText(order, false)))} as after_edge
          from span join ${table} on ${id} = span.id
        ), edge as materialized (select * from placed where after_edge = 0),
        before_edge as materialized (
          select ${sql.literal(beyondOne(sizes))} + ${passed}::bigint as places from edge join ${table} on
            ${sql.literal(isBefore(order, (index) => `edge.key_${index}`))} and ${largeIn(sql, sizes, conditions)}
        )
        select page.id, list.total from (${placesIn(sql, sizes, list, { extra, total })}) list left join (
          select placed.id, places + after_edge as before from placed cross join before_edge
        ) page on before >= ${start}::bigint and before < ${start + pageSize}::bigint
        order by before`.unprepared
    ),
    (rows) => ({ total: rows[0]?.total ?? 0, ids: rows.flatMap((row) => row.id ?? []) })
  )
}

/**
 * The ids of the rows after a key, in order, whose first places are on one page, which is one row at least; whether there
 * are more; and how many places the list has. As many rows as a page has at most are sized, and one more.
 */
export const placedAfter = <Id extends string>(
  sql: SqlClient.SqlClient,
  sizes: RowSizes,
  list: PlacedList,
  { after, ...standing }: Standing & { readonly after: RowKey }
) => {
  const { conditions, given = sql.literal(""), order, prefix = [] } = list
  const { pageSize, size } = sizes
  const [id, table, forwards] = [sizes.id, sizes.table, orderText([...prefix, ...order], false)].map(
    sql.literal
  )
  return Effect.map(
    all(
      sql<{ readonly id: Id | null; readonly total: number; readonly spanned: number }>`with ${given}
        span as materialized (
          select ${id} as id, ${sql.literal(placesOf(size, pageSize))} as places,
            row_number() over (order by ${forwards}) as number
          from ${table} where ${sql.and([...conditions, isAfter(sql, order, after)])}
          order by ${forwards} limit ${sql.literal(String(pageSize + 1))}
        ), placed as (select id, number, sum(places) over (order by number) - places as before from span)
        select placed.id, list.total, (select count(*)::int from span) as spanned
        from (${placesIn(sql, sizes, list, standing)}) list
        left join placed on before < ${sql.literal(String(pageSize))} order by number`.unprepared
    ),
    (rows) => {
      const ids = rows.flatMap((row) => row.id ?? [])
      return { total: rows[0]?.total ?? 0, ids, hasMore: (rows[0]?.spanned ?? 0) > ids.length }
    }
  )
}
