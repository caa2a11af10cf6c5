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

/** Lets a second pass by the clock of the test, and those act in it who do. */
export const second = Effect.repeat(
  Effect.andThen(TestClock.adjust("100 millis"), TestClock.withLive(Effect.sleep("10 millis"))),
  { times: 9 }
)
