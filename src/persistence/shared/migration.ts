import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** A migration made of statements, run in order. */
export const migration = (
  statements: ReadonlyArray<string>
): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )
