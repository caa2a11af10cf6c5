/**
 * The connections of the service, by how long they may be busy. What has to be quick never shares one with
 * what may be slow, as statements on a connection run one after the other. `SqlClient` is the pool for
 * writes: a transaction has a connection to itself, and so has every statement outside of one. `WriteTurns`
 * keeps writers that wait for each other from taking all of them.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import { makeQuickReads, makeSlowReads } from "./SharedReads.ts"
import { lockTimeout, WriteTurns } from "./WriteTurns.ts"

/** Short reads of what is committed, each found through an index. A few share a connection; none can be cancelled. */
export class QuickReads extends Context.Service<QuickReads, SqlClient.SqlClient>()(
  "forum/persistence/QuickReads"
) {}

/** Reads whose cost depends on what is asked for. Each has a connection to itself and ends when its request does. */
export class SlowReads extends Context.Service<SlowReads, SqlClient.SqlClient>()(
  "forum/persistence/SlowReads"
) {}

/** The fewest connections that the three kinds can share: one each, and one more for a writer that waits for a lock. */
export const fewestConnections = 4

/** How many connections of a pool of `total` each kind has. */
export const shares = (total: number) => {
  const quick = Math.max(1, Math.floor(total * 0.4))
  // Each slow read can keep a core of the database server busy. Measured on two cores next to four searches: with
  // one at a time, the 99th percentile of other reads is 22 ms, with two 28 ms.
  const slow = Math.max(1, Math.floor(total * 0.1))
  return { quick, slow, writes: total - quick - slow }
}

/** A connection for what reads for minutes, opened where it is needed: nothing else waits for it. */
export class LongReads extends Context.Service<
  LongReads,
  Effect.Effect<PgClient.PgClient, SqlError.SqlError, Scope.Scope>
>()("forum/persistence/LongReads") {}

// Measured: enough to keep connections busy, few enough that none waits long behind the others.
const readsOnOneConnection = 8

/**
 * How many statements a connection keeps prepared; the longest unused one makes room for another. PostgreSQL
 * keeps the plan of each in memory, once for every connection.
 */
export const preparedMax = 100

/** Says where the connections with these options go, each time that one is opened. */
export type Directed = <Options extends PgClient.PgClientConfig>(options: Options) => Options

/** How many connections there are together. */
interface Sized {
  readonly maxConnections: number
}

const asGiven: Directed = (options) => options

/** The pools of both kinds of reads. */
export const poolsOfReads = (
  { maxConnections, ...given }: PgClient.PgClientConfig & Sized,
  directed: Directed = asGiven
) => {
  const options = { ...given, preparedStatementCacheSize: preparedMax }
  const { quick, slow } = shares(maxConnections)
  return {
    quick: directed({
      ...options,
      maxConnections: quick,
      multiplex: true,
      multiplexConcurrency: readsOnOneConnection
    }),
    slow: directed({ ...options, maxConnections: slow })
  }
}

/** The connections of all three kinds, to one database. */
export const layer = (given: PgClient.PgClientConfig & Sized, directed: Directed = asGiven) => {
  const { maxConnections, ...options } = given
  const { writes } = shares(maxConnections)
  const { quick, slow } = poolsOfReads(given, directed)
  return Layer.mergeAll(
    PgClient.layer(
      directed({
        ...options,
        preparedStatementCacheSize: preparedMax,
        startupParameters: { ...options.startupParameters, lock_timeout: lockTimeout },
        maxConnections: writes
      })
    ),
    Layer.succeed(WriteTurns, WriteTurns.sharing(writes)),
    Layer.effect(QuickReads, makeQuickReads(quick)).pipe(Layer.provide(Reactivity.layer)),
    Layer.effect(SlowReads, makeSlowReads(slow)).pipe(Layer.provide(Reactivity.layer)),
    Layer.succeed(LongReads, Effect.provide(PgClient.makeClient(directed(options)), Reactivity.layer))
  )
}
