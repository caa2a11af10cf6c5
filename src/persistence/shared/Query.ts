/** Runs statements for all their rows, the first, or none. Failures of the database become those of `orDefect`. */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { TimeRange } from "../../domain/shared/TimeRange.ts"
import { orDefect } from "./SqlErrors.ts"

type Rows<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/**
 * All rows of a statement, with the type that it states and without decoding, which would cost more than reading them.
 */
export const all = <Row>(statement: Rows<Row>): Effect.Effect<ReadonlyArray<Row>> => orDefect(statement)

/** The ids that a statement answers. */
export const idsOf = <A extends string>(
  statement: Rows<{ readonly id: A }>
): Effect.Effect<ReadonlyArray<A>> => Effect.map(all(statement), (rows) => rows.map(({ id }) => id))

/** The first row of a statement, if there is one. */
export const first = <Row>(statement: Rows<Row>): Effect.Effect<Row | undefined> =>
  Effect.map(orDefect(statement), ([row]) => row)

/** Runs a statement and ignores its rows. */
export const run = (statement: Rows<unknown>): Effect.Effect<void> => Effect.asVoid(orDefect(statement))

/** Whether a statement has any row. */
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

/** Functions that run statements and check that each row is what the schema says; another one is a defect. */
export const decoded = <Row, Encoded>(schema: Schema.Codec<Row, Encoded>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  const rows = (statement: Rows<unknown>) =>
    Effect.flatMap(all(statement), (rows) => Effect.orDie(decode(rows)))
  const head = (statement: Rows<unknown>): Effect.Effect<Row | undefined> =>
    Effect.map(rows(statement), ([row]) => row)
  /** The row that a statement has answered, where it always answers one. */
  const one = (found: ReadonlyArray<unknown>) =>
    Effect.flatMap(head(Effect.succeed(found)), (row) =>
      row === undefined ? Effect.die(new Error("A statement answered no row")) : Effect.succeed(row)
    )
  return { all: rows, first: head, one } as const
}
