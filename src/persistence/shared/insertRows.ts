import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** Inserts rows of one shape, or nothing when there are none; a row that a constraint refuses is passed over. */
export const insertRows = (
  sql: SqlClient.SqlClient,
  table: string,
  rows: ReadonlyArray<Record<string, unknown>>
): Effect.Effect<void, SqlError.SqlError> => {
  const [first, ...rest] = rows
  return first === undefined
    ? Effect.void
    : Effect.asVoid(sql`insert into ${sql(table)} ${sql.insert([first, ...rest])} on conflict do nothing`)
}
