/** What is tidied up from time to time, by every instance: none of it does harm twice. */
import { Effect, Layer, Schedule } from "effect"
import { Sessions } from "../domain/session/Sessions.ts"

const hourly = Schedule.spaced("1 hour")

export const live = Layer.effectDiscard(
  Effect.flatMap(Sessions, ({ forgetExpired }) =>
    forgetExpired.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Forgetting expired sessions failed", cause)),
      Effect.repeat(hourly),
      Effect.forkScoped
    )
  )
)
