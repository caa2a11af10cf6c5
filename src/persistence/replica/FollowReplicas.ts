/** Which replicas of the database may be read: those that answer, and have what the primary had some seconds ago. */
import { type PgClient, PgPool } from "@effect/sql-pg"
import { Duration, Effect, Redacted, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { ReadReplica, ReplicaReads } from "../../domain/storage/Replicas.ts"
import { type DatabaseAddress, hostText } from "../primary/DatabaseAddress.ts"
import { connectTo } from "../primary/FindPrimary.ts"
import { makeServerSockets } from "../primary/ServerSockets.ts"
import { poolsOfReads } from "../shared/Connections.ts"
import { CurrentReplica, type Replica } from "../shared/CurrentReplica.ts"
import { rootMessageOf } from "../shared/rootMessageOf.ts"
import { makeNoteWrite, writesOfCaller } from "./AccountWrites.ts"
import { type Place, placeOf } from "./Place.ts"

/** How often the servers are asked how far they are. */
const askEvery = Duration.seconds(1)

/** How old it may be what a replica shows. */
const staleness = Duration.seconds(5)

/** Where the primary was when it was asked, in milliseconds of a clock that never goes back. */
interface Sample {
  readonly at: number
  readonly place: Place
}

/**
 * What every replica must have: where the primary was at the last moment that is old enough. While the primary does not
 * answer, that is the same as before, so that replicas are read on.
 */
const makeRequired = () => {
  let samples: ReadonlyArray<Sample> = []
  return {
    note: (sample: Sample) => {
      const old = samples.findLastIndex(({ at }) => at <= sample.at - Duration.toMillis(staleness))
      samples = [...samples.slice(Math.max(0, old)), sample]
    },
    place: () => samples[0]?.place
  }
}

const primaryQuestion = "select pg_current_wal_lsn()::text as place"
const replicaQuestion = `select pg_last_wal_replay_lsn()::text as place where pg_is_in_recovery()`

/** How to connect, but for the address. */
type Options = Omit<PgClient.PgClientConfig, "url"> & { readonly maxConnections: number }

/** A replica, and how far it is at least. */
interface Followed extends Replica {
  readonly place: () => Place
}

/** Opens the pools of a replica, and asks it as long as the scope is open. */
const followOne = Effect.fnUntraced(function* (
  address: Redacted.Redacted<DatabaseAddress>,
  given: Options,
  required: () => Place | undefined
): Effect.fn.Return<Followed, SqlError.SqlError, Scope.Scope> {
  const { hosts, url } = Redacted.value(address)
  const [host] = hosts
  const name = hostText(host)
  const sockets = makeServerSockets()
  const login = { ...given, url: Redacted.make(url) }
  const pools = poolsOfReads({ ...login, stream: () => sockets.open(host) })
  let isUsable = false
  let place: Place = 0n

  const judge = (now: boolean, why: string) => {
    if (now === isUsable) return Effect.void
    isUsable = now
    if (now) return Effect.logInfo(`The replica ${name} is read`)
    sockets.cut(`The replica ${name} is not read any more`)
    return Effect.logWarning(`The replica ${name} is not read for the time being: ${why}`)
  }
  const watch = Effect.gen(function* () {
    const connection = yield* connectTo(login, host)
    while (true) {
      const { rows } = yield* connection.query(replicaQuestion, [], false)
      const needed = required()
      const [row] = rows
      if (row !== undefined) place = placeOf(row.place)
      if (row === undefined) yield* judge(false, "it is no standby")
      else if (needed !== undefined)
        yield* judge(place >= needed, `it is more than ${Duration.format(staleness)} late`)
      yield* Effect.sleep(askEvery)
    }
  }).pipe(
    Effect.scoped,
    Effect.catch((error) => judge(false, rootMessageOf(error)))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(watch, Effect.sleep(askEvery))))
  return {
    pools: { quick: yield* PgPool.make(pools.quick), slow: yield* PgPool.make(pools.slow) },
    isUsable: () => isUsable,
    place: () => place
  }
})

/** Follows replicas until the scope closes. Work reads the next of those that will do; the primary if there is none. */
export const followReplicas = Effect.fnUntraced(function* (
  addresses: ReadonlyArray<Redacted.Redacted<DatabaseAddress>>,
  options: Options
): Effect.fn.Return<ReplicaReads, SqlError.SqlError, SqlClient.SqlClient | Scope.Scope> {
  const primary = yield* SqlClient.SqlClient
  const required = makeRequired()
  const ask = Effect.map(primary.unsafe<{ readonly place: string }>(primaryQuestion), ([row]) =>
    required.note({ at: performance.now(), place: placeOf(row?.place) })
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignore(ask), Effect.sleep(askEvery))))
  const replicas = yield* Effect.forEach(addresses, (address) => followOne(address, options, required.place))
  let turn = 0
  /** Reads the next of those that have what was written until this place. */
  const readAfter =
    (least: Place): ReadReplica =>
    (work) =>
      Effect.suspend(() => {
        const fit = replicas.filter(({ isUsable, place }) => isUsable() && place() >= least)
        turn = (turn + 1) % Math.max(1, fit.length)
        const found = fit[turn]
        return found === undefined ? work : Effect.provideService(work, CurrentReplica, found)
      })
  const readPrimary: ReadReplica = (work) => work
  return {
    read: readAfter(0n),
    forCaller: writesOfCaller((least) => (least === undefined ? readPrimary : readAfter(least))),
    noteWrite: makeNoteWrite(primary)
  }
})
