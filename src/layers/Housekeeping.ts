/** What is done from time to time, by every instance: doing it twice does no harm. */
import { Context, type Duration, Effect, Layer, Schedule } from "effect"

export interface Chore {
  /** As the log names it. */
  readonly name: string
  readonly every: Duration.Duration
  readonly run: Effect.Effect<void>
}

export class Chores extends Context.Service<Chores, ReadonlyArray<Chore>>()("forum/layers/Chores") {
  static readonly layer = <E, R>(chores: Effect.Effect<ReadonlyArray<Chore>, E, R>) =>
    Layer.effect(Chores, chores)
}

const repeated = ({ every, name, run }: Chore) =>
  run.pipe(
    Effect.catchCause((cause) => Effect.logWarning(`A chore failed: ${name}`, cause)),
    Effect.repeat(Schedule.spaced(every))
  )

/** Does every chore at the start and then at its interval, as long as the service runs. */
export const live = Layer.effectDiscard(
  Effect.gen(function* () {
    for (const chore of yield* Chores) yield* Effect.forkScoped(repeated(chore))
  })
)
