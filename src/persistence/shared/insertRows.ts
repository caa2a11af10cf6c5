import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

// A statement takes 65,535 at most.
const parametersMax = 30_000

/** Inserts rows of one shape, or nothing when there are none; a row that breaks a unique constraint is passed over. */
export const insertRows = (
  sql: SqlClient.SqlClient,
  table: string,
  rows: ReadonlyArray<Record<string, unknown>>
): Effect.Effect<void, SqlError.SqlError> => {
  const [first, ...rest] = rows
  if (first === undefined) return Effect.void
  const size = Math.floor(parametersMax / Object.keys(first).length)
  const insertion = sql`insert into ${sql(table)} ${sql.insert([first, ...rest.slice(0, size - 1)])}
    on conflict do nothing`
  return Effect.andThen(insertion, insertRows(sql, table, rest.slice(size - 1)))
}
