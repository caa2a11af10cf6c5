/** The database: `DATABASE_URL`, or else the embedded PostgreSQL under `DATA_DIR`; migrated before anyone uses it. */
import type { PgClient } from "@effect/sql-pg"
import { Cause, Effect, Layer, Redacted } from "effect"
import { SqlError } from "effect/sql"
import { Replicas } from "../../domain/storage/Replicas.ts"
import { addressAt, type DatabaseAddress } from "../../persistence/primary/DatabaseAddress.ts"
import { atPrimary, findPrimary, followPrimary, type NoPrimary } from "../../persistence/primary/Primary.ts"
import { followReplicas } from "../../persistence/replica/FollowReplicas.ts"
import * as Connections from "../../persistence/shared/Connections.ts"
import { MigrationFailed, type MigrationState, migrate } from "../../persistence/shared/Migrations.ts"
import { rootMessageOf } from "../../persistence/shared/rootMessageOf.ts"
import { SettingInvalid } from "../process/Setting.ts"
import { Settings } from "../process/Settings.ts"

export const applicationName = "forum-service"

/** How long the database lets a statement run, and a transaction wait for its next one: what takes longer is given up there, too. */
const sessionLimits = { statement_timeout: "10s", idle_in_transaction_session_timeout: "60s" }

const session = { timezone: "UTC", ...sessionLimits }

/** How the service connects, wherever the server is. */
export const clientOptions = {
  applicationName,
  startupParameters: session
} satisfies PgClient.PgClientConfig

// Loaded where it is used: large services have a server of their own.
const launcher = Effect.promise(() => import("../postgres/EmbeddedPostgres.ts"))

const noPrimary = ({ message }: NoPrimary) => new SettingInvalid({ message: `DATABASE_URL: ${message}` })

/** Connections to the server of an address that takes writes, whichever of several that is at the time. */
const connected = Effect.fnUntraced(function* (address: Redacted.Redacted<DatabaseAddress>, pool: number) {
  const known = Redacted.value(address)
  const options = { ...clientOptions, url: Redacted.make(known.url) }
  const pools = { ...options, maxConnections: pool }
  if (known.hosts.length === 1) return Connections.layer(pools)
  const primary = yield* Effect.mapError(followPrimary(known, options), noPrimary)
  return Connections.layer(pools, (given) => atPrimary(given, primary))
})

export const client = Layer.unwrap(
  Effect.gen(function* () {
    const { databaseAddress, databasePool, dataDir } = yield* Settings
    if (databaseAddress !== undefined) return yield* connected(databaseAddress, databasePool)
    const server = yield* (yield* launcher).start({ dataDir })
    return Connections.layer({ ...clientOptions, ...server, maxConnections: databasePool })
  })
)

/** Copies of the database, which what may be a little old is read from. */
export const replicas = Layer.effect(
  Replicas,
  Effect.gen(function* () {
    const { databasePool, databaseReplicas } = yield* Settings
    if (databaseReplicas.length === 0) return yield* Replicas
    const options = { ...clientOptions, maxConnections: databasePool }
    return yield* Effect.mapError(
      followReplicas(databaseReplicas, options),
      (error) => new SettingInvalid({ message: `DATABASE_REPLICA_URLS: ${rootMessageOf(error)}` })
    )
  })
)

/** The address with the host alone that takes writes now, for what lasts no longer than a command. */
export const primaryUrl = Effect.fnUntraced(function* (address: Redacted.Redacted<DatabaseAddress>) {
  const known = Redacted.value(address)
  if (known.hosts.length === 1) return Redacted.make(known.url)
  const login = { ...clientOptions, url: Redacted.make(known.url) }
  const host = yield* Effect.mapError(findPrimary(known, login), noPrimary)
  return Redacted.make(addressAt(known, host))
})

const unreachable = (error: SqlError.SqlError) =>
  new SettingInvalid({ message: `DATABASE_URL: ${rootMessageOf(error)}` })

const isRefusal = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && error.reason.operation === "connect"

/** Runs the first statements of all, which fail with a plain message where there is no database at the address. */
export const checkReachable = <A, E, R>(
  first: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SettingInvalid, R> =>
  Effect.mapError(first, (error) => (isRefusal(error) ? unreachable(error) : error))

/**
 * Warns of migrations that a newer release has run. While instances are upgraded one after the other, one of the
 * release before may have to start again, so that is no failure.
 */
const warnOfNewer = ({ unknown }: MigrationState) =>
  unknown.length === 0
    ? Effect.void
    : Effect.logWarning(
        `The database is of a newer release (it has ${unknown.at(-1)}). This one works on it while instances are upgraded, and not for longer`
      )

export const migrations = Layer.effectDiscard(
  checkReachable(migrate).pipe(
    Effect.tap(warnOfNewer),
    Effect.tapError((error) =>
      error instanceof MigrationFailed ? Effect.logDebug(error.message, Cause.fail(error.cause)) : Effect.void
    )
  )
)

export const live = migrations.pipe(Layer.provideMerge(client))
