/** Waiting for what others bring about, which fails in seconds and says what did not happen. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"

// What does not come until then does not come, however slow the machine.
const waitsFor = "30 seconds"

/** Fails if an effect takes too long by the clock on the wall, as one does that looks again and again. */
export const inTime = <A, E, R>(without: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  TestClock.withLive(
    Effect.timeoutOrElse(effect, {
      duration: waitsFor,
      orElse: () => Effect.die(new Error(`After ${waitsFor}, ${without}`))
    })
  )
