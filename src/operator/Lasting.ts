/** Commands that go on until they are stopped, which is no failure then. */
import { Effect } from "effect"

let isLasting = false

/** Whether the command that runs is one of these. */
export const goesOnUntilStopped = (): boolean => isLasting

/** What such a command does. */
export const lasting = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    isLasting = true
    return work
  })
