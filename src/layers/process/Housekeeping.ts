/** Runs chores from time to time, in every instance: doing a chore twice does no harm. */
import { Context, type Duration, Effect, Layer, Schedule } from "effect"
import { InternalErrors } from "../../domain/operations/InternalErrors.ts"

export interface Chore {
  /** The name of the chore in the log. */
  readonly name: string
  readonly every: Duration.Duration
  /** The work of the chore. If it fails, it is done again at the next time. */
  readonly run: Effect.Effect<void, unknown>
}

export class Chores extends Context.Service<Chores, ReadonlyArray<Chore>>()("forum/layers/Chores") {
  static readonly layer = <E, R>(chores: Effect.Effect<ReadonlyArray<Chore>, E, R>) =>
    Layer.effect(Chores, chores)
}

const repeated = ({ report }: InternalErrors["Service"], { every, name, run }: Chore) =>
  run.pipe(
    Effect.catchCause((failure) =>
      report({ where: `chore: ${name}`, what: `A chore failed: ${name}`, failure })
    ),
    Effect.repeat(Schedule.spaced(every))
  )

/** Does every chore at the start and then at its interval, as long as the service runs. */
export const live = Layer.effectDiscard(
  Effect.gen(function* () {
    const errors = yield* InternalErrors
    for (const chore of yield* Chores) yield* Effect.forkScoped(repeated(errors, chore))
  })
)
