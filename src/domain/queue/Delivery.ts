/** Hands over what waits in a stored queue, such as mails, to others who may fail or be slow. */
import { DateTime, type Duration, Effect } from "effect"
import { makeWorker, type StoredQueue } from "./Worker.ts"

export interface Delivery<Taken, Outcome>
  extends Pick<StoredQueue<Taken>, "parallel" | "signal" | "lookEvery"> {
  /** What is handed over, as the log calls one and several. */
  readonly what: { readonly one: string; readonly many: string }
  /** Whether there is anybody to hand it over to. */
  readonly isPossible: boolean
  /** How long nobody else takes what was taken: longer than handing it over may take. */
  readonly takenFor: Duration.Input
  /** Takes what is due; unless it is finished before, it is due again at `until`. */
  readonly take: (at: DateTime.Utc, until: DateTime.Utc) => Effect.Effect<Taken | undefined>
  readonly attempt: (taken: Taken) => Effect.Effect<Outcome>
  readonly finish: (taken: Taken, outcome: Outcome) => Effect.Effect<void>
  readonly giveBack: (taken: Taken, at: DateTime.Utc) => Effect.Effect<void>
  /** What the log says with a failure. */
  readonly about: (taken: Taken) => Readonly<Record<string, unknown>>
}

export const makeDelivery = <Taken, Outcome>(delivery: Delivery<Taken, Outcome>) => {
  const { about, attempt, finish, giveBack, isPossible, lookEvery, parallel, signal, what } = delivery

  const take = Effect.flatMap(DateTime.now, (now) =>
    delivery.take(now, DateTime.addDuration(now, delivery.takenFor))
  )

  /** A stop of the service puts it back, unless it was handed over. What fails otherwise is due again later. */
  const run = (taken: Taken) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        Effect.onInterrupt(restore(attempt(taken)), () =>
          Effect.flatMap(DateTime.now, (now) => giveBack(taken, now))
        ),
        (outcome) => finish(taken, outcome)
      )
    ).pipe(
      Effect.catchCause((cause) =>
        Effect.annotateLogs(Effect.logWarning(`Sending ${what.one} failed`, cause), about(taken))
      )
    )

  const { drain, follow } = makeWorker<Taken>({
    parallel,
    take: isPossible ? take : Effect.undefined,
    run: (taken) => Effect.interruptible(run(taken)),
    signal,
    lookEvery,
    report: (cause) => Effect.logWarning(`Looking for ${what.many} to send failed`, cause)
  })

  return {
    /** Hands over all that is due now, one after the other. */
    drain,
    /** Hands over what becomes due, as long as the service runs. */
    follow: isPossible ? follow : Effect.never
  } as const
}
