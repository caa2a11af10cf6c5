/** Orders of rows by several columns, each of which goes up or down, and keys, which say where in them a row stands. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { isStorable } from "../../domain/field/Text.ts"
import { type ListPlace, type RowKey, refuseCursor } from "../../domain/shared/ListPlace.ts"

export type Direction = "asc" | "desc"

/** The types of PostgreSQL that columns of orders have. */
export type KeyType = "text" | "integer" | "bigint" | "real" | "numeric" | "boolean" | "timestamptz"

/** What rows are ordered by. No two rows are equal in all columns, and no column is null. */
export type RowOrder = ReadonlyArray<readonly [column: string, direction: Direction, type: KeyType]>

export const orderText = (order: RowOrder, backwards: boolean): string =>
  order
    .map(([column, direction]) => `${column}${(direction === "desc") === backwards ? "" : " desc"}`)
    .join(", ")

/** The condition that a row comes before another one, whose columns stand in SQL where `placeOf` says. */
export const isBefore = (order: RowOrder, placeOf: (column: number) => string): string =>
  order.reduceRight((rest, [column, direction], index) => {
    const place = placeOf(index)
    const differs = `${column} ${direction === "asc" ? "<" : ">"} ${place}`
    return rest === "" ? differs : `(${differs} or (${column} = ${place} and ${rest}))`
  }, "")

const keyColumn = (column: string, type: KeyType): string => {
  if (type === "text") return column
  return type === "timestamptz"
    ? `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    : `(${column})::text`
}

/** The key of a row, as an array of texts. */
export const keyOf = (order: RowOrder): string =>
  `array[${order.map(([column, , type]) => keyColumn(column, type)).join(", ")}]::text[]`

const isWhole = (text: string, bits: number): boolean =>
  /^-?\d{1,19}$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text)

/** Whether a text is an instant as `keyColumn` writes it, on a day that there is. */
const isInstant = (text: string): boolean => {
  if (!/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(text)) return false
  const millis = Date.parse(text)
  return !Number.isNaN(millis) && new Date(millis).toISOString().slice(0, 19) === text.slice(0, 19)
}

const isOf: Readonly<Record<KeyType, (text: string) => boolean>> = {
  text: isStorable,
  integer: (text) => isWhole(text, 32),
  bigint: (text) => isWhole(text, 64),
  real: (text) => /^-?\d+(\.\d+)?(e[+-]?\d{1,2})?$/.test(text) && Number.isFinite(Math.fround(Number(text))),
  // As PostgreSQL writes a number that it has read from a text with an exponent.
  numeric: (text) => /^-?\d{1,2000}(\.\d{1,2000})?$/.test(text),
  boolean: (text) => text === "true" || text === "false",
  timestamptz: isInstant
}

/** Whether texts are a key of an order: as many as it has columns, each of its column's type. */
export const isKeyOf = (order: RowOrder, key: RowKey): boolean =>
  key.length === order.length && order.every(([, , type], index) => isOf[type](key[index] ?? ""))

/** Columns that follow each other in an order and go the same way. */
interface Run {
  readonly direction: Direction
  readonly columns: ReadonlyArray<number>
}

const runsOf = (order: RowOrder): ReadonlyArray<Run> => {
  const starts = order.flatMap(([, direction], index) => (direction === order[index - 1]?.[1] ? [] : [index]))
  return starts.map((start, index) => {
    const columns = order.map((_, column) => column).slice(start, starts[index + 1])
    return { direction: order[start]?.[1] ?? "asc", columns }
  })
}

/**
 * The conditions of the ranges of rows after a key. A row is in one of them, and in each of them an index of the order
 * finds the first rows, however many come before.
 */
export const rangesAfter = (
  sql: SqlClient.SqlClient,
  order: RowOrder,
  key: RowKey
): ReadonlyArray<Statement.Fragment> => {
  const list = sql.join(", ", false)
  const columns = (places: ReadonlyArray<number>) =>
    sql.literal(places.map((place) => order[place]?.[0] ?? "").join(", "))
  const values = (places: ReadonlyArray<number>) =>
    list(places.map((place) => sql`${key[place] ?? ""}::text::${sql.literal(order[place]?.[2] ?? "text")}`))
  return runsOf(order)
    .map(({ columns: run, direction }, index, runs) => {
      const before = runs.slice(0, index).flatMap((earlier) => earlier.columns)
      const compares = sql.literal(direction === "asc" ? ">" : "<")
      return sql.and([
        ...before.map((place) => sql`${columns([place])} = ${values([place])}`),
        sql`(${columns(run)}) ${compares} (${values(run)})`
      ])
    })
    .reverse()
}

/** The condition that a row comes after a key. What the first column says of it stands first, for the index. */
export const isAfter = (sql: SqlClient.SqlClient, order: RowOrder, key: RowKey): Statement.Fragment => {
  const ranges = rangesAfter(sql, order, key)
  const [column, direction, type] = order[0] ?? ["", "asc", "text"]
  return ranges.length === 1
    ? sql.and(ranges)
    : sql.and([
        sql`${sql.literal(`${column} ${direction === "asc" ? ">=" : "<="}`)} ${key[0] ?? ""}::text::${sql.literal(type)}`,
        sql.or(ranges)
      ])
}

/** Refuses a request whose cursor has no key of this order. */
export const checkKey = (order: RowOrder, place: ListPlace): Effect.Effect<void> =>
  place.after === undefined || isKeyOf(order, place.after) ? Effect.void : refuseCursor(place)
