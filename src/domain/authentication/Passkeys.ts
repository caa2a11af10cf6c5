/** Signing up and in with passkeys, and adding them to accounts (Web Authentication). */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Sessions } from "../session/Sessions.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { Transaction } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { PasskeyWrong, type PublicKeyCredential } from "./Passkey.ts"
import { makePasskeyBeginnings } from "./PasskeyBeginnings.ts"
import { PasskeyChallenges } from "./PasskeyChallenges.ts"
import { makePasskeyCreation } from "./PasskeyCreation.ts"
import { expectationOf } from "./PasskeyOptions.ts"
import { PasskeyStore } from "./PasskeyStore.ts"
import { PasskeyVerifier, refused } from "./PasskeyVerifier.ts"
import { SignInSuspended } from "./Password.ts"

const wrong = (reason: "challenge" | "credential" | "response" | "counter") =>
  new PasskeyWrong({ metadata: { reason } })

const make = Effect.gen(function* () {
  const store = yield* PasskeyStore
  const challenges = yield* PasskeyChallenges
  const verifier = yield* PasskeyVerifier
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions
  const transaction = yield* Transaction
  const deployment = yield* Deployment
  const beginnings = yield* makePasskeyBeginnings
  const create = yield* makePasskeyCreation

  const signIn = Effect.fn("Passkeys.signIn")(function* (
    credential: PublicKeyCredential,
    states: ReadonlyArray<string>,
    from: ClientNetwork
  ) {
    const ceremony = Option.getOrUndefined(yield* challenges.find(states))
    if (ceremony?._tag !== "SignIn") return yield* wrong("challenge")
    const { account } = ceremony
    const candidate = Option.getOrUndefined(yield* store.findCandidate(account, credential.id))
    if (candidate?.suspended === true) return yield* new SignInSuspended()
    const passkey = candidate?.passkey
    if (passkey === undefined) return yield* wrong("credential")
    const said = credential.response.userHandle ?? passkey.userHandle
    if (said !== passkey.userHandle) return yield* wrong("credential")
    const signatures = yield* verifier
      .verifyAssertion(credential, passkey.publicKey, expectationOf(deployment, ceremony))
      .pipe(Effect.catchTag("ResponseRefused", ({ why }) => refused(why, wrong("response"))))
    const at = yield* DateTime.now
    const entering = Effect.gen(function* () {
      if (!(yield* challenges.use(ceremony))) return yield* wrong("challenge")
      if (!(yield* store.noteSignature(passkey.id, signatures, at))) return yield* wrong("counter")
      yield* attempts.noteSignIn(account, from)
      return yield* sessions.issue(account)
    })
    return yield* transaction(entering)
  })

  return { ...beginnings, create, signIn } as const
})

export class Passkeys extends Context.Service<Passkeys, Effect.Success<typeof make>>()(
  "forum/domain/Passkeys"
) {
  static readonly layer = Layer.effect(Passkeys, make).pipe(
    Layer.provide(
      Layer.mergeAll(PasskeyChallenges.layer, Sessions.layer, InstanceSettings.layer, AttemptLimit.layer)
    )
  )
}
