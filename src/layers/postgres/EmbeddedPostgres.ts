/**
 * The PostgreSQL server that the service runs itself when `DATABASE_URL` is not set.
 *
 * All its files are in one data directory. The server starts and stops with a scope. If it ends earlier, it is
 * restarted at the same address.
 */
import { Clock, Deferred, Effect, Redacted, type Scope } from "effect"
import { type Address, chooseAddress, type Transport } from "./Address.ts"
import { usableBinaries } from "./Binaries.ts"
import { database, prepareCluster, username } from "./Cluster.ts"
import { findLocation, type LocationOptions, makeDataDirectory } from "./ClusterLocation.ts"
import { holdDirectory } from "./DirectoryLock.ts"
import { type EmbeddedPostgresError, failed } from "./EmbeddedPostgresError.ts"
import { type Server, startServer } from "./Postmaster.ts"
import { keepLogSmall } from "./ServerLog.ts"

export interface Options extends LocationOptions {
  readonly dataDir: string
  /** PostgreSQL settings that replace or extend the default ones. */
  readonly settings?: Readonly<Record<string, string>>
  /** How clients connect. Default: by a Unix socket where possible. */
  readonly transport?: Transport
}

/** What a `PgClient` needs to connect. */
export interface Connection extends Address {
  readonly username: string
  readonly password: Redacted.Redacted
  readonly database: string
}

const shortestPause = 50
const longestPause = 5_000

/** Keeps a server running. Completes `started` with the result of the first start, and stops only if that failed. */
const supervise = Effect.fnUntraced(function* (
  server: Server,
  started: Deferred.Deferred<void, EmbeddedPostgresError>
) {
  let pause = shortestPause
  while (true) {
    const since = yield* Clock.currentTimeMillis
    const error = yield* startServer(server).pipe(
      Effect.tap(() => Deferred.succeed(started, undefined)),
      Effect.flatten,
      Effect.scoped,
      Effect.catchDefect((defect) => Effect.fail(failed("the launcher failed unexpectedly", String(defect)))),
      Effect.flip
    )
    if (yield* Deferred.fail(started, error)) return
    if ((yield* Clock.currentTimeMillis) - since > 2 * longestPause) pause = shortestPause
    yield* Effect.logError(`${error.message} Restarting it in ${pause} ms.`)
    yield* Effect.sleep(pause)
    pause = Math.min(2 * pause, longestPause)
  }
})

/** Starts the server of a data directory, which is created if necessary. The server stops when the scope closes. */
export const start = Effect.fn("EmbeddedPostgres.start")(function* (
  options: Options
): Effect.fn.Return<Connection, EmbeddedPostgresError, Scope.Scope> {
  const dataDir = yield* makeDataDirectory(options.dataDir)
  yield* holdDirectory(dataDir)
  const location = yield* findLocation(dataDir, options)
  const binaries = yield* usableBinaries(location.runAs, location.home)
  const password = yield* prepareCluster(location, binaries)
  const address = yield* chooseAddress(location, options.transport)
  const server = { location, binaries, address, settings: options.settings ?? {} }

  yield* keepLogSmall(dataDir)
  const started = yield* Deferred.make<void, EmbeddedPostgresError>()
  yield* Effect.forkScoped(supervise(server, started))
  yield* Deferred.await(started)
  return { ...address, username, database, password: Redacted.make(password) }
})
