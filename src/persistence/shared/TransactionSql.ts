import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Transaction } from "../../domain/shared/Transaction.ts"
import { inLockOrder } from "./Locks.ts"
import { orDefect } from "./SqlErrors.ts"

export const layer = Layer.effect(
  Transaction,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Transaction.of((writes) => inLockOrder(orDefect(sql.withTransaction(writes))))
  )
)
