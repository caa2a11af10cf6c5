/** For whom feeds are made: a guest, whoever asks, so that everyone gets the same. */
import { Effect } from "effect"
import { Callers } from "../session/Callers.ts"
import type { Credentials } from "../session/Session.ts"
import { CurrentActor, checkPermission } from "../shared/Actor.ts"
import type { Permission } from "../shared/Permission.ts"

const none: Credentials = { cookies: [], bearer: undefined }

export const makeAsGuest = Effect.map(Callers, (callers) => {
  /** Runs something as a guest. */
  const asGuest = <A, E, R>(use: Effect.Effect<A, E, R>) =>
    Effect.flatMap(callers.identify(none), (actor) => Effect.provideService(use, CurrentActor, actor))

  return {
    asGuest,
    /** Runs something as a guest, if guests hold a permission now. */
    asGuestWith: <A, E, R>(permission: Permission, use: Effect.Effect<A, E, R>) =>
      asGuest(
        Effect.gen(function* () {
          yield* checkPermission(yield* CurrentActor, permission)
          return yield* use
        })
      )
  } as const
})
