/** Works off a queue that is stored: takes what is due, a few at a time, as long as the service runs. */
import { type Cause, type Duration, Effect, Queue, Semaphore } from "effect"

export interface StoredQueue<Work> {
  /** How much work this process does at the same time. */
  readonly parallel: number
  /** Takes work that is due, if there is any. */
  readonly take: Effect.Effect<Work | undefined>
  readonly run: (work: Work) => Effect.Effect<void>
  /** Says that there may be work. */
  readonly signal: Queue.Queue<void>
  /** How long to wait for a signal: other instances enqueue as well, and what failed is due again later. */
  readonly lookEvery: Duration.Input
  /** Tells that no work could be taken. */
  readonly report: (cause: Cause.Cause<never>) => Effect.Effect<void>
}

export const makeWorker = <Work>({ lookEvery, parallel, report, run, signal, take }: StoredQueue<Work>) => {
  /** Does all that is due now, one after the other. */
  const drain = Effect.gen(function* () {
    for (let work = yield* take; work !== undefined; work = yield* take) yield* run(work)
  })

  const wait = Effect.timeoutOption(Queue.take(signal), lookEvery)

  /** Does what becomes due, as long as the service runs. */
  const follow = Effect.gen(function* () {
    const places = Semaphore.makeUnsafe(parallel)

    const begin = (work: Work) => run(work).pipe(Effect.ensuring(places.release(1)), Effect.forkScoped)

    /** Begins one piece of work, or waits until there may be one. */
    const next = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* restore(places.take(1))
        const work = yield* Effect.onExit(restore(take), (exit) =>
          exit._tag === "Success" && exit.value !== undefined ? Effect.void : places.release(1)
        )
        if (work === undefined) yield* restore(wait)
        else yield* begin(work)
      })
    )

    return yield* next.pipe(
      Effect.catchCause((cause) => Effect.andThen(report(cause), Effect.sleep(lookEvery))),
      Effect.forever
    )
  }).pipe(Effect.scoped)

  return { drain, follow } as const
}
