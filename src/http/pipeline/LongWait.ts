/** Operations that wait for something outside of the service. */
import { Effect } from "effect"
import { RequestContext } from "./RequestContext.ts"

const extendEvery = "10 seconds"

/** Does what takes as long as the operation says, without a place that others could have. */
export const waitingLong = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(RequestContext, ({ extendDeadline, releasingPlaceWhile }) =>
    releasingPlaceWhile(
      Effect.raceFirst(work, Effect.forever(Effect.delay(Effect.sync(extendDeadline), extendEvery)))
    )
  )
