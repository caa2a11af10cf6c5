/**
 * The PostgreSQL server that the service brings along, for when nobody names one by `DATABASE_URL`.
 *
 * Everything lies in one data directory. The server starts and ends with a scope; in between it is started
 * again, at the same address, whenever it ends by itself.
 */
import { Clock, Deferred, Effect, Redacted, type Scope } from "effect"
import { type Address, chooseAddress, type Transport } from "./Address.ts"
import { usableBinaries } from "./Binaries.ts"
import { database, prepareCluster, username } from "./Cluster.ts"
import { holdDirectory } from "./DirectoryLock.ts"
import { type EmbeddedPostgresError, failed } from "./EmbeddedPostgresError.ts"
import { findPlace, makeDataDirectory, type PlaceOptions } from "./Place.ts"
import { type Server, startServer } from "./Postmaster.ts"
import { keepLogSmall } from "./ServerLog.ts"

export interface Options extends PlaceOptions {
  readonly dataDir: string
  /** PostgreSQL settings that differ from the usual ones. */
  readonly settings?: Readonly<Record<string, string>>
  /** A Unix socket where possible, when absent. */
  readonly transport?: Transport
}

/** What a `PgClient` needs to know. */
export interface Connection extends Address {
  readonly username: string
  readonly password: Redacted.Redacted
  readonly database: string
}

const shortestPause = 50
const longestPause = 5_000

/** Keeps a server running. Tells whether the first start succeeded, and gives up only if it did not. */
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
      Effect.catchDefect((defect) => Effect.fail(failed("a fault in its launcher", String(defect)))),
      Effect.flip
    )
    if (yield* Deferred.fail(started, error)) return
    if ((yield* Clock.currentTimeMillis) - since > 2 * longestPause) pause = shortestPause
    yield* Effect.logError(`${error.message} It is started again in ${pause} ms.`)
    yield* Effect.sleep(pause)
    pause = Math.min(2 * pause, longestPause)
  }
})

/** Starts the server of a data directory, which is made if necessary. The scope's end stops it. */
export const start = Effect.fn("EmbeddedPostgres.start")(function* (
  options: Options
): Effect.fn.Return<Connection, EmbeddedPostgresError, Scope.Scope> {
  const dataDir = yield* makeDataDirectory(options.dataDir)
  yield* holdDirectory(dataDir)
  const place = yield* findPlace(dataDir, options)
  const binaries = yield* usableBinaries(place.runAs, place.home)
  const password = yield* prepareCluster(place, binaries)
  const address = yield* chooseAddress(place, options.transport)
  const server = { place, binaries, address, settings: options.settings ?? {} }

  yield* keepLogSmall(dataDir)
  const started = yield* Deferred.make<void, EmbeddedPostgresError>()
  yield* Effect.forkScoped(supervise(server, started))
  yield* Deferred.await(started)
  return { ...address, username, database, password: Redacted.make(password) }
})
