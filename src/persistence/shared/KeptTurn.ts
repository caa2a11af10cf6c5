import { Deferred, Effect, Fiber, type Scope } from "effect"
import type { Turns } from "../../domain/queue/Turns.ts"

/** Waits for a turn and keeps it until the scope ends; what takes the place of work beyond the bounds ends the wait. */
export const keepTurn = (turns: Turns, name: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const begun = Deferred.makeUnsafe<void>()
    const kept = turns(name, Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
    const told = Effect.onError(kept, (cause) => Deferred.failCause(begun, cause))
    yield* Effect.acquireRelease(Effect.forkDetach(told, { startImmediately: true }), Fiber.interrupt)
    yield* Deferred.await(begun)
  })
