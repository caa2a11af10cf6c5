/** What a target costs while it is driven, and targets driven by turns. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BenchFailure } from "./BenchFailure.ts"
import { type Driven, drive, type Load, type Until } from "./load.ts"
import { cpuMicros } from "./processes.ts"

export type TargetName = "ours" | "theirs" | "recorded" | "by hand" | "plain"

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

/** Drives a target with a number of requests, and counts all that it did for those. */
const measureSpan = Effect.fn("measureSpan")(function* (target: Target, load: Load, requests: number) {
  const before = yield* settle(target)
  const driven = yield* driveTarget(target, load, { requests })
  const after = yield* settle(target)
  return {
    ...driven,
    service: (after.service - before.service) / driven.requests,
    databaseCpu: databaseCpu(before, after) / driven.requests,
    statements: (after.statements - before.statements) / driven.requests
  } satisfies Span
})

export interface Turn<E, R> {
  readonly target: Target
  readonly load: Load
  /** Happens before each span of this target, and is not measured. */
  readonly before: Effect.Effect<unknown, E, R>
}

// Opening the connections, and what an idle service does, must not count for much in a span.
const fewest = 200

/** As many requests as the slowest of the targets answers in these seconds; the same for all, as fixed costs are. */
const requestsFor = (seconds: number, rates: ReadonlyArray<number>, loads: ReadonlyArray<Load>) => {
  const most = Math.min(...loads.map(({ once, requests }) => (once === true ? requests.length : Infinity)))
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
  // As long as all rounds together: it takes a while until everything that runs often is compiled.
  const rates = yield* Effect.forEach(turns, ({ before, load, target }) =>
    before.pipe(
      Effect.andThen(driveTarget(target, load, { seconds })),
      Effect.map(({ perSecond }) => perSecond)
    )
  )
  const requests = requestsFor(
    seconds / count,
    rates,
    turns.map(({ load }) => load)
  )
  const measured: Array<Round> = []
  for (let round = 0; round < count; round++) {
    const spans: { [Name in TargetName]?: Span } = {}
    // Every other round goes backwards, so that no target always comes first.
    for (const { before, load, target } of round % 2 === 0 ? turns : turns.toReversed()) {
      yield* before
      spans[target.name] = yield* measureSpan(target, load, requests)
    }
    measured.push(spans)
  }
  return measured
})
