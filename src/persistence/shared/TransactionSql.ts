import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Transaction } from "../../domain/shared/Transaction.ts"
import { inLockOrder } from "./Locks.ts"
import { orDefect } from "./SqlErrors.ts"

/** Transactions on the connections of this client, whose locks are taken in order. */
export const make = (sql: SqlClient.SqlClient) =>
  Transaction.of((writes) => inLockOrder(orDefect(sql.withTransaction(writes))))

export const layer = Layer.effect(Transaction, Effect.map(SqlClient.SqlClient, make))
