import { Context, Effect, Fiber, Layer } from "effect"

type Work = Fiber.Fiber<unknown, unknown>

/**
 * The requests in progress. `giveUp` interrupts them, so that each is answered
 * with the problem `ShuttingDown`, as is every request after that.
 */
export class InFlight extends Context.Service<
  InFlight,
  {
    readonly track: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly giveUp: Effect.Effect<void>
  }
>()("forum/http/InFlight") {
  static readonly layer = Layer.sync(InFlight, () => {
    const running = new Set<Work>()
    let givenUp = false

    const track = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        if (givenUp) return Effect.interrupt
        running.add(fiber)
        return Effect.ensuring(
          work,
          Effect.sync(() => running.delete(fiber))
        )
      })

    const giveUp = Effect.suspend(() => {
      givenUp = true
      return Fiber.interruptAll(running)
    })

    return InFlight.of({ track, giveUp })
  })
}
