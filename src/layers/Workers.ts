/** What goes on beside requests as long as the service runs, in every instance. */
import { Context, Effect, Layer } from "effect"

export interface Worker {
  /** As the log names it. */
  readonly name: string
  /** Does not end. */
  readonly run: Effect.Effect<never>
}

export class Workers extends Context.Service<Workers, ReadonlyArray<Worker>>()("forum/layers/Workers") {
  static readonly layer = <E, R>(workers: Effect.Effect<ReadonlyArray<Worker>, E, R>) =>
    Layer.effect(Workers, workers)
}

const pause = "10 seconds"

const restarted = ({ name, run }: Worker): Effect.Effect<never> =>
  run.pipe(
    Effect.catchCause((cause) => Effect.logWarning(`A worker failed: ${name}`, cause)),
    Effect.andThen(Effect.sleep(pause)),
    Effect.forever
  )

/** Lets every worker run; one that fails is started again after a pause. */
export const live = Layer.effectDiscard(
  Effect.gen(function* () {
    for (const worker of yield* Workers) yield* Effect.forkScoped(restarted(worker))
  })
)
