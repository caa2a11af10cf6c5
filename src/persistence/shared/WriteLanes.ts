/**
 * Lets writers wait where they take no connection. Those that wait for a lock in the database each hold one, so
 * a few who change the same row could keep all others from writing.
 */
import { Context, Effect, Semaphore } from "effect"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { TooManyWriters } from "../../domain/shared/TooManyWriters.ts"

/**
 * How many writes of one row, and of one account, run or wait; more are refused. Far more than people and their
 * programs send at a time, and few enough that the last does not wait for long.
 */
const places = { row: 64, account: 128 }

/** How long a statement waits for the locks of others: far longer than a transaction takes. */
export const lockTimeout = "5s"

const secondsToRetry = 1

export const tooManyWriters = new TooManyWriters({ metadata: { retry_after: secondsToRetry } })

interface Lane {
  readonly turns: Semaphore.Semaphore
  present: number
}

/** Runs effects of one key so many at a time, in the order in which they come. */
const makeLanes = (running: number, present: number) => {
  const lanes = new Map<string, Lane>()

  const enter = (key: string) =>
    Effect.suspend(() => {
      const lane = lanes.get(key) ?? { turns: Semaphore.makeUnsafe(running), present: 0 }
      if (lane.present >= present) return dieWithProblem(tooManyWriters)
      lane.present++
      lanes.set(key, lane)
      return Effect.succeed(lane)
    })

  const leave = (key: string, lane: Lane) =>
    Effect.sync(() => {
      lane.present--
      if (lane.present === 0) lanes.delete(key)
    })

  return <A, E, R>(key: string, write: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      enter(key),
      ({ turns }) => turns.withPermit(write),
      (lane) => leave(key, lane)
    )
}

export type Lanes = ReturnType<typeof makeLanes>

/** The lanes of the writes that share these connections: neither one row nor one account takes all. */
export class WriteLanes extends Context.Service<
  WriteLanes,
  { readonly ofRow: Lanes; readonly ofAccount: Lanes }
>()("forum/persistence/WriteLanes") {
  static readonly sharing = (connections: number) => {
    const half = Math.max(1, Math.floor(connections / 2))
    return WriteLanes.of({
      // One that holds the row's lock and one that waits for it; more would go no faster.
      ofRow: makeLanes(Math.min(2, half), places.row),
      ofAccount: makeLanes(half, places.account)
    })
  }
}
