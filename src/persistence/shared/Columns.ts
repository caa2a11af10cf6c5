/** Statements that select many columns: a list of what they select, and quick rows. */
import { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"

/** What each column of a row selects, as an SQL expression. */
export type Columns<Row> = { readonly [Name in keyof Row]-?: string }

/** What follows `select`. */
export const selected = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, expression]) => `${expression} as ${name}`)
    .join(", ")

/**
 * Reads the rows of statements that select these columns first, in their order.
 *
 * The driver grows its rows key by key. From twenty keys on V8 keeps such
 * objects as hash tables, six times the size of those that a literal makes, and
 * the rows of one page then outweigh all else that is made for it. Only a
 * program written for the columns has that literal, so one is.
 */
export const rowsOf = <Row>(columns: Columns<Row>) => {
  const names = Object.keys(columns)
  if (!names.every((name) => /^[a-z][a-z_]*$/.test(name))) throw new Error("A column's name is not plain")
  const fields = names.map((name, place) => `${name}: values[${place}]`).join(", ")
  // The columns are typed by whoever selects them, like the rows of every statement.
  const rowOf = new Function("values", `return { ${fields} }`) as (values: ReadonlyArray<unknown>) => Row

  return (statement: Statement.Statement<unknown>): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
    Effect.map(statement.values, (rows) => rows.map(rowOf))
}
