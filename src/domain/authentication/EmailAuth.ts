/** Signing up and in with an email address, by a password or by a code that is sent to it. */
import { Context, DateTime, Effect, Layer } from "effect"
import { Sessions } from "../session/Sessions.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { EmailCodes } from "./EmailCodes.ts"
import { EmailSignInStore } from "./EmailSignInStore.ts"
import { makeEmailSignIns } from "./EmailSignIns.ts"
import { makeEmailSignUps } from "./EmailSignUps.ts"
import { PasswordHashing } from "./PasswordHashing.ts"

const make = Effect.gen(function* () {
  const store = yield* EmailSignInStore
  const signUps = yield* makeEmailSignUps
  const signIns = yield* makeEmailSignIns

  /** Forgets codes that are no longer valid. */
  const forgetCodes = Effect.flatMap(DateTime.now, store.deleteExpiredCodes)

  return { ...signUps, ...signIns, forgetCodes } as const
})

export class EmailAuth extends Context.Service<EmailAuth, Effect.Success<typeof make>>()(
  "forum/domain/EmailAuth"
) {
  static readonly layer = Layer.effect(EmailAuth, make).pipe(
    Layer.provide(
      Layer.mergeAll(
        EmailCodes.layer,
        Sessions.layer,
        InstanceSettings.layer,
        AttemptLimit.layer,
        PasswordHashing.layer
      )
    )
  )
}
