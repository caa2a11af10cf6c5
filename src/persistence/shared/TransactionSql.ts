import { Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Transaction } from "../../domain/shared/Transaction.ts"
import { orDefect } from "./SqlErrors.ts"

/** Transactions on the connections of this client. */
export const make = (sql: SqlClient.SqlClient) =>
  Transaction.of((writes) =>
    Effect.catchIf(sql.withTransaction(writes), SqlError.isSqlError, (error) => orDefect(Effect.fail(error)))
  )

export const layer = Layer.effect(Transaction, Effect.map(SqlClient.SqlClient, make))
