import { Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Transaction } from "../../domain/shared/Transaction.ts"
import { orDefect } from "./SqlErrors.ts"

export const layer = Layer.effect(
  Transaction,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Transaction.of((writes) =>
      Effect.catchIf(sql.withTransaction(writes), SqlError.isSqlError, (error) =>
        orDefect(Effect.fail(error))
      )
    )
  )
)
