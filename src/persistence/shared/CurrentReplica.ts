/** The copy of the database that a request reads. */
import type { PgPool } from "@effect/sql-pg"
import { Context, Effect } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import { isUnavailable } from "./SqlErrors.ts"

/** A copy of the database. */
export interface Replica {
  /** The connections to it, by how long they may be busy. */
  readonly pools: Readonly<Record<ReadKind, PgPool.PgPool>>
  /** Whether it may be read now. */
  readonly isUsable: () => boolean
}

type ReadKind = "quick" | "slow"

/** The replica that the running request reads; none, if it reads the primary. */
export const CurrentReplica = Context.Reference<Replica | undefined>("forum/persistence/CurrentReplica", {
  defaultValue: () => undefined
})

/** Reads on a connection of a pool. */
export type Reading = <A, E, R>(
  pool: PgPool.PgPool,
  read: (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Whether the primary can answer what a replica could not. It would take as long for what takes too long. */
const isOfReplica = (error: unknown) =>
  isUnavailable(error) && SqlError.isSqlError(error) && error.reason._tag !== "StatementTimeoutError"

/**
 * Reads the replica of the request, if it has one. The primary answers in its place where it cannot: it is lost, or has
 * just removed what a statement reads.
 */
export const readReplica = <A, E, R>(
  kind: ReadKind,
  reading: Reading,
  primary: PgPool.PgPool,
  read: (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.flatMap(CurrentReplica, (replica) =>
    replica?.isUsable() !== true
      ? reading(primary, read)
      : Effect.catchIf(reading(replica.pools[kind], read), isOfReplica, () => reading(primary, read))
  )
