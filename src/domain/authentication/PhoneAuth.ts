/** Signing up and in with codes that are sent to a phone number. */
import { Context, DateTime, Effect, Layer } from "effect"
import { Sessions } from "../session/Sessions.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { makePhoneCodes } from "./PhoneCodes.ts"
import { makePhoneConfirmations } from "./PhoneConfirmations.ts"
import { PhoneStore } from "./PhoneStore.ts"

const make = Effect.gen(function* () {
  const store = yield* PhoneStore
  const requests = yield* makePhoneCodes
  const confirmations = yield* makePhoneConfirmations

  /** Forgets codes that are no longer valid, and the sign-ups that waited for them. */
  const forgetCodes = Effect.andThen(
    Effect.flatMap(DateTime.now, store.deleteExpiredCodes),
    store.deleteForgottenSignUps
  )

  return { ...requests, ...confirmations, forgetCodes } as const
})

export class PhoneAuth extends Context.Service<PhoneAuth, Effect.Success<typeof make>>()(
  "forum/domain/PhoneAuth"
) {
  static readonly layer = Layer.effect(PhoneAuth, make).pipe(
    Layer.provide(Layer.mergeAll(Sessions.layer, InstanceSettings.layer, AttemptLimit.layer))
  )
}
