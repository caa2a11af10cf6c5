import { Effect } from "effect"
import { errorText } from "../../domain/operations/InternalErrorRules.ts"
import { MigrationFailed } from "../../persistence/shared/Migrations.ts"
import { OperatorFailure } from "../OperatorFailure.ts"

/** What failed, as one line that says what became of it. */
const asFailure = (outcome: string, cause: unknown) => {
  if (cause instanceof OperatorFailure || cause instanceof MigrationFailed) return cause
  return new OperatorFailure({ message: `${outcome}: ${errorText(cause)}` })
}

/** Runs work that cleans up after itself: where it is interrupted, it is waited for, too. */
export const untilSettled = <A>(outcome: string, work: (signal: AbortSignal) => Promise<A>) =>
  Effect.suspend(() => {
    const controller = new AbortController()
    const running = work(controller.signal)
    return Effect.tryPromise({ try: () => running, catch: (cause) => asFailure(outcome, cause) }).pipe(
      Effect.onInterrupt(() =>
        Effect.promise(() => {
          controller.abort()
          return running.then(
            () => {},
            () => {}
          )
        })
      )
    )
  })
