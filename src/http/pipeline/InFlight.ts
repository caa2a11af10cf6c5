import { Clock, Context, Duration, Effect, type Fiber, Latch, Layer } from "effect"
import { DeadlineExceeded, ShuttingDown } from "../contract/RequestProblems.ts"
import { type Entry, LinkedList } from "./LinkedList.ts"
import type { RequestFacts } from "./RequestContext.ts"

/** How long a request may take, in milliseconds: so long only if the database hangs. Statements have a shorter limit. */
const deadline = Duration.toMillis("30 seconds")

interface Running {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  /** When the deadline of the request ends, in milliseconds of a clock that nobody sets. */
  ends: number
  /** Why `InFlight` has interrupted the request; undefined if it has not. */
  problem: DeadlineExceeded | ShuttingDown | undefined
}

/**
 * The requests in progress. Those that take longer than 30 seconds are interrupted. `giveUp` interrupts
 * all of them, and refuses every request after that.
 */
export class InFlight extends Context.Service<
  InFlight,
  {
    /**
     * Follows the work of a request, which may extend its deadline; if it is interrupted here, it fails with a problem.
     */
    readonly track: (
      facts: RequestFacts
    ) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DeadlineExceeded | ShuttingDown, R>
    readonly giveUp: Effect.Effect<void>
  }
>()("forum/http/InFlight") {
  static readonly layer = Layer.effect(
    InFlight,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      // The oldest first, as all have the same time.
      const running = new LinkedList<Running>()
      let givenUp = false

      const end = (entry: Entry<Running>, problem: DeadlineExceeded | ShuttingDown) => {
        running.remove(entry)
        entry.value.problem = problem
        entry.value.fiber.interruptUnsafe()
      }

      const shuttingDown = () => new ShuttingDown({ metadata: { retry_after: 1 } })

      // One fiber for all of them: a timer and a race for each would cost as much as a small request does.
      const isAny = yield* Latch.make()
      const endOverdue = Effect.gen(function* () {
        yield* isAny.await
        const oldest = running.first
        if (oldest === undefined) {
          isAny.closeUnsafe()
          return
        }
        yield* Effect.sleep(Math.max(0, oldest.value.ends - now()))
        if (oldest.isIn && oldest.value.ends <= now())
          end(oldest, new DeadlineExceeded({ metadata: { retry_after: 1 } }))
      })
      yield* Effect.forkScoped(Effect.forever(endOverdue))

      // The fiber of a request cannot be interrupted but inside its work, so that what follows here always runs.
      const track =
        (facts: RequestFacts) =>
        <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.withFiber<A, E | DeadlineExceeded | ShuttingDown, R>((fiber) => {
            if (givenUp) return Effect.fail(shuttingDown())
            const ends = now() + deadline
            const request: Running = { fiber, ends, problem: undefined }
            let entry = running.add(request)
            isAny.openUnsafe()
            // Declared before it is assigned: V8 keeps a function that is written in an assignment to a property, and with
            // it the fiber, until a full collection (docs/performance.md).
            const extendDeadline = () => {
              if (!running.remove(entry)) return
              request.ends = now() + deadline
              entry = running.add(request)
            }
            facts.extendDeadline = extendDeadline
            return Effect.matchCauseEffect(work, {
              onSuccess: (answer) => {
                running.remove(entry)
                return Effect.succeed(answer)
              },
              onFailure: (cause): Effect.Effect<never, E | DeadlineExceeded | ShuttingDown> => {
                running.remove(entry)
                return request.problem === undefined ? Effect.failCause(cause) : Effect.fail(request.problem)
              }
            })
          })

      const giveUp = Effect.sync(() => {
        givenUp = true
        for (let entry = running.first; entry !== undefined; entry = running.first) end(entry, shuttingDown())
      })

      return InFlight.of({ track, giveUp })
    })
  )
}
