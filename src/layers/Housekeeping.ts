/** Removes what has expired, at start and every hour. Every instance does this; the work is idempotent. */
import { Effect, Layer, Schedule } from "effect"
import { Sessions } from "../domain/session/Sessions.ts"

const hourly = Schedule.spaced("1 hour")

export const live = Layer.effectDiscard(
  Effect.flatMap(Sessions, ({ forgetExpired }) =>
    forgetExpired.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Removing expired sessions failed", cause)),
      Effect.repeat(hourly),
      Effect.forkScoped
    )
  )
)
