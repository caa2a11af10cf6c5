/** The driver of the floors: the service's own, without the service. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { clientOptions } from "../src/layers/wiring/Database.ts"

/** Rows are typed by who writes the statement. */
export type Query = <Row extends object>(
  text: string,
  params: ReadonlyArray<unknown>
) => Promise<ReadonlyArray<Row>>

export interface Driver {
  readonly query: Query
  readonly transaction: <A>(run: (query: Query) => Promise<A>) => Promise<A>
}

export const connect = async (url: string): Promise<Driver> => {
  const layer = PgClient.layer({ ...clientOptions, url: Redacted.make(url), maxConnections: 10 })
  const context = await Effect.runPromise(Layer.build(layer).pipe(Scope.provide(Scope.makeUnsafe())))
  const sql = Context.get(context, SqlClient.SqlClient)
  return {
    query: <Row extends object>(text: string, params: ReadonlyArray<unknown>) =>
      Effect.runPromise(sql.unsafe<Row>(text, params)),
    transaction: (run) =>
      Effect.context<never>().pipe(
        Effect.flatMap((transaction) =>
          Effect.promise(() =>
            run((text, params) => Effect.runPromiseWith(transaction)(sql.unsafe(text, params)))
          )
        ),
        sql.withTransaction,
        Effect.runPromise
      )
  }
}
