/** How often other work gets a turn of the event loop while an effect runs. */
import { Effect, Fiber } from "effect"

/** Runs an effect beside a fiber that does nothing but yield. Answers what it made, and how many turns the fiber had. */
export const withTurns = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let turns = 0
    const takeTurn = Effect.andThen(
      Effect.sync(() => turns++),
      Effect.yieldNow
    )
    const others = yield* Effect.forkChild(Effect.forever(takeTurn))
    const made = yield* work
    yield* Fiber.interrupt(others)
    return { made, turns } as const
  })
