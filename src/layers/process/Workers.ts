/** Runs the workers, which go on beside requests as long as the service runs, in every instance. */
import { Context, Effect, Layer } from "effect"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"

export interface Worker {
  /** The name of the worker in the log. */
  readonly name: string
  /** The work, which does not end. */
  readonly run: Effect.Effect<never>
  /** Does all that is due now, in the place of `run`, where somebody else decides when; absent where nothing is ever done. */
  readonly drain?: Effect.Effect<void>
}

export class Workers extends Context.Service<Workers, ReadonlyArray<Worker>>()("forum/layers/Workers") {
  static readonly layer = <E, R>(workers: Effect.Effect<ReadonlyArray<Worker>, E, R>) =>
    Layer.effect(Workers, workers)
}

const pause = "10 seconds"

const restarted = ({ report }: InternalErrors["Service"], { name, run }: Worker): Effect.Effect<never> =>
  run.pipe(
    Effect.catchCause((failure) =>
      report({ where: `worker: ${name}`, what: `A worker failed: ${name}`, failure })
    ),
    Effect.andThen(Effect.sleep(pause)),
    Effect.forever
  )

/** Lets every worker run; one that fails is started again after a pause. */
export const live = Layer.effectDiscard(
  Effect.gen(function* () {
    const errors = yield* InternalErrors
    for (const worker of yield* Workers) yield* Effect.forkScoped(restarted(errors, worker))
  })
)
