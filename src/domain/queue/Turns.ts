/** Turns by name: a fair queue of which the names share nothing, so that nobody waits for work under another name. */
import type { Effect } from "effect"
import { makeFairQueue } from "./FairQueue.ts"

export interface Bounds {
  /** How much work under one name runs at the same time. */
  readonly running: number
  /** How much of it may be present, running or waiting. */
  readonly present: number
}

/** Work under a name, when it has its turn. */
export type Turns<Full = never> = <A, E, R>(
  name: string,
  work: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | Full, R>

/** Runs work under each name in the order in which it comes; beyond the bounds, `full` takes its place. */
export const makeTurns = <Full = never>(bounds: Bounds, full: Effect.Effect<never, Full>): Turns<Full> => {
  const unbounded = Number.POSITIVE_INFINITY
  const { run } = makeFairQueue({
    running: unbounded,
    runningPerClient: bounds.running,
    waiting: unbounded,
    perClient: bounds.present
  })
  return (name, work) =>
    run(
      name,
      () => work,
      () => full
    )
}
