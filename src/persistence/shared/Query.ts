/** Running statements: all rows, the first, or none; the failures of the database end here. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { TimeRange } from "../../domain/shared/TimeRange.ts"
import { orDefect } from "./SqlErrors.ts"

type Rows<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** Every row, as the statement types it: for pages that are read most, where decoding would cost more than reading. */
export const all = <Row>(statement: Rows<Row>): Effect.Effect<ReadonlyArray<Row>> => orDefect(statement)

/** The first row, if there is one. */
export const first = <Row>(statement: Rows<Row>): Effect.Effect<Row | undefined> =>
  Effect.map(orDefect(statement), ([row]) => row)

/** No row. */
export const run = (statement: Rows<unknown>): Effect.Effect<void> => Effect.asVoid(orDefect(statement))

/** Whether there is any row. */
export const some = (statement: Rows<unknown>): Effect.Effect<boolean> =>
  Effect.map(orDefect(statement), (rows) => rows.length > 0)

/** A `like` pattern that finds what begins with the text as it is written. */
export const beginningWith = (text: string): string => `${text.replace(/[\\%_]/g, "\\$&")}%`

/** A `like` pattern that finds the text as it is written. */
export const containing = (text: string): string => `%${beginningWith(text)}`

/** The conditions that a column is in a range of time, which may be open. */
export const isWithin = (
  sql: SqlClient.SqlClient,
  column: string,
  { end, start }: TimeRange
): ReadonlyArray<Statement.Fragment> => [
  ...(start === undefined ? [] : [sql`${sql.literal(column)} >= ${start}`]),
  ...(end === undefined ? [] : [sql`${sql.literal(column)} <= ${end}`])
]

/**
 * The condition that a column has one of these values. A single one is compared by `=`: plans for arrays
 * depend on how many values the planner expects, so PostgreSQL would plan anew for each call with one.
 */
export const isOneOf = (
  sql: SqlClient.SqlClient,
  column: string,
  values: ReadonlyArray<string>
): Statement.Fragment =>
  values.length === 1
    ? sql`${sql.literal(column)} = ${values[0]}`
    : sql`${sql.literal(column)} = any(${values}::text[])`

/** The same with rows that are what the schema says; others are a defect. */
export const decoded = <Row, Encoded>(schema: Schema.Codec<Row, Encoded>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  const rows = (statement: Rows<unknown>) =>
    Effect.flatMap(all(statement), (rows) => Effect.orDie(decode(rows)))
  const head = (statement: Rows<unknown>): Effect.Effect<Row | undefined> =>
    Effect.map(rows(statement), ([row]) => row)
  /** The row of a statement that has run and cannot but answer one. */
  const one = (found: ReadonlyArray<unknown>) =>
    Effect.flatMap(head(Effect.succeed(found)), (row) =>
      row === undefined ? Effect.die(new Error("A statement answered no row")) : Effect.succeed(row)
    )
  return { all: rows, first: head, one } as const
}
