/** What a target costs while it is driven, and targets driven by turns. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { awaitTold, type Gather, nobody, type Told, toldFigures } from "./audiences.ts"
import { BenchFailure } from "./BenchFailure.ts"
import { type Driven, drive, type Load, type Until } from "./load.ts"
import { cpuMicros } from "./processes.ts"

/** Alone is ours, while nobody is told of what it does. */
export type TargetName = "ours" | "theirs" | "alone" | "recorded" | "by hand" | "plain"

/** A process that answers requests, and the database that only this process is driven on. */
export interface Target {
  readonly name: TargetName
  readonly url: string
  readonly pid: number
  readonly database: string
}

export interface Span extends Driven {
  /** CPU time of the process, in microseconds a request. */
  readonly service: number
  /** CPU time of its database connections, in microseconds a request. */
  readonly databaseCpu: number
  readonly statements: number
  /** How long it took until others were told, where there are any. */
  readonly told: Told | undefined
}

/** One round: a span for each target, by its name. */
export type Round = { readonly [Name in TargetName]?: Span }

interface Spent {
  readonly service: number
  readonly backends: ReadonlyMap<number, number>
  readonly statements: number
}

const spentBy = Effect.fnUntraced(function* ({ database, pid }: Target) {
  const sql = yield* SqlClient.SqlClient
  const backends = yield* sql<{ readonly pid: number }>`
    select pid from pg_stat_activity where datname = ${database}`
  const [counted] = yield* sql<{ readonly calls: number }>`
    select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements
    where dbid = (select oid from pg_database where datname = ${database})`
  return {
    service: cpuMicros(pid),
    backends: new Map(backends.map(({ pid }) => [pid, cpuMicros(pid)])),
    statements: counted?.calls ?? 0
  } satisfies Spent
})

/** A connection that was opened in between has spent all its time since; one that was closed is not counted. */
const databaseCpu = (before: Spent, after: Spent) =>
  [...after.backends].reduce((sum, [pid, spent]) => sum + spent - (before.backends.get(pid) ?? 0), 0)

/** Waits until what a target does after its answers, such as reading its event log, is done. */
export const settle = Effect.fnUntraced(function* (target: Target) {
  let before = yield* spentBy(target)
  for (let look = 0; look < 200; look++) {
    yield* Effect.sleep("50 millis")
    const after = yield* spentBy(target)
    const busy = after.service - before.service + databaseCpu(before, after)
    // A twentieth of the time: an idle service looks for events now and then.
    if (busy < 2500) return after
    before = after
  }
  return before
})

/** Drives a target, all of whose answers must be as they should. */
const driveTarget = Effect.fnUntraced(function* (target: Target, load: Load, until: Until) {
  const driven = yield* drive(target.url, load, until)
  if (driven.failures.length === 0) return driven
  const message = `${target.name} at ${load.requests[0]?.path}: ${driven.failures.join(", ")}`
  return yield* new BenchFailure({ message })
})

interface Driving {
  readonly target: Target
  readonly load: Load
  /** Those who are told of what it does meanwhile. */
  readonly gather?: Gather
}

/** Drives a target with a number of requests, and counts all that it did for those. */
const measureSpan = Effect.fn("measureSpan")(function* (
  { gather = nobody, load, target }: Driving,
  requests: number
) {
  const audience = yield* gather(target.url)
  const before = yield* settle(target)
  const driven = yield* driveTarget(target, load, { requests })
  yield* awaitTold(audience, requests)
  const after = yield* settle(target)
  return {
    ...driven,
    service: (after.service - before.service) / driven.requests,
    databaseCpu: databaseCpu(before, after) / driven.requests,
    statements: (after.statements - before.statements) / driven.requests,
    told: yield* toldFigures(target.database, audience)
  } satisfies Span
}, Effect.scoped)

/** How fast a target answers. Runs until everything that is run often is compiled. */
const warmUp = Effect.fnUntraced(function* ({ gather = nobody, load, target }: Driving, seconds: number) {
  const audience = yield* gather(target.url)
  const until = load.most === undefined ? { seconds } : { requests: load.most }
  const { perSecond, requests } = yield* driveTarget(target, load, until)
  yield* awaitTold(audience, requests)
  return perSecond
}, Effect.scoped)

export interface Turn<E, R> extends Driving {
  /** Happens before each span of this target, and is not measured. */
  readonly before: Effect.Effect<unknown, E, R>
}

// Opening the connections, and what an idle service does, must not count for much in a span.
const fewest = 200

/** As many requests as the slowest of the targets answers in these seconds; the same for all, as fixed costs are. */
const requestsFor = (seconds: number, rates: ReadonlyArray<number>, loads: ReadonlyArray<Load>) => {
  const most = Math.min(
    ...loads.map(({ most = Infinity, once, requests }) => (once === true ? requests.length : most))
  )
  return Math.min(most, Math.max(fewest, Math.round(Math.min(...rates) * seconds)))
}

/**
 * Warms up all targets, then drives them by turns, round after round, so that
 * whatever slows the machine down for a while slows down each of them.
 */
export const rounds = Effect.fn("rounds")(function* <E, R>(
  turns: ReadonlyArray<Turn<E, R>>,
  seconds: number,
  count: number
) {
  // As long as all rounds together.
  const rates = yield* Effect.forEach(turns, (turn) => Effect.andThen(turn.before, warmUp(turn, seconds)))
  const requests = requestsFor(
    seconds / count,
    rates,
    turns.map(({ load }) => load)
  )
  const measured: Array<Round> = []
  for (let round = 0; round < count; round++) {
    const spans: { [Name in TargetName]?: Span } = {}
    // Every other round goes backwards, so that no target always comes first.
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
      yield* turn.before
      spans[turn.target.name] = yield* measureSpan(turn, requests)
    }
    measured.push(spans)
  }
  return measured
})
