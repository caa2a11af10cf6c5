/** Runs migrations on a connection, within its transaction. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import type pg from "pg"

const failed = (cause: unknown) =>
  new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message: "A statement failed" }) })

const connectionOf = (client: pg.Client): SqlConnection.Connection => {
  const query = (text: string, values: ReadonlyArray<unknown>, rowMode?: "array") =>
    Effect.tryPromise({
      try: () =>
        rowMode === undefined
          ? client.query(text, [...values])
          : client.query({ text, values: [...values], rowMode }),
      catch: failed
    })
  const execute: SqlConnection.Connection["execute"] = (text, values, transform) =>
    Effect.map(query(text, values), ({ rows }) => (transform === undefined ? rows : transform(rows)))
  const executeValues: SqlConnection.Connection["executeValues"] = (text, values) =>
    Effect.map(query(text, values, "array"), ({ rows }) => rows)
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: query,
    executeStream: (text, values, transform) => Stream.fromIterableEffect(execute(text, values, transform)),
    executeValues,
    executeValuesUnprepared: executeValues
  }
}

// The transaction is there already, and goes on.
const savepoint = "forum_restore"

/** A client whose transactions are parts of the one that the connection is in. */
export const migratingClient = (client: pg.Client) =>
  Layer.effect(
    SqlClient.SqlClient,
    SqlClient.make({
      acquirer: Effect.succeed(connectionOf(client)),
      compiler: PgClient.makeCompiler(),
      driver: "pg",
      spanAttributes: [],
      beginTransaction: `savepoint ${savepoint}`,
      commit: `release savepoint ${savepoint}`,
      rollback: `rollback to savepoint ${savepoint}`
    })
  ).pipe(Layer.provide(Reactivity.layer))
