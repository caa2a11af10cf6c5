/** Beginning a ceremony: what browsers are asked for, to make a passkey or to sign in with one. */
import { Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { HandleTaken } from "../account/Account.ts"
import { normaliseHandle } from "../account/Handle.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentActor } from "../shared/Actor.ts"
import { PasskeyNotSet, passkeysMax, TooManyPasskeys } from "./Passkey.ts"
import { PasskeyChallenges, type Purpose } from "./PasskeyChallenges.ts"
import { creationOptions, requestOptions, rpIdOf } from "./PasskeyOptions.ts"
import { type PasskeyOwner, PasskeyStore } from "./PasskeyStore.ts"
import { HandleUnknown, SignInSuspended } from "./Password.ts"
import { makeRegistration } from "./Registration.ts"

const userHandleBytes = 32

export const makePasskeyBeginnings = Effect.gen(function* () {
  const store = yield* PasskeyStore
  const challenges = yield* PasskeyChallenges
  const settings = yield* InstanceSettings
  const registration = yield* makeRegistration
  const random = yield* SecureRandom.SecureRandom
  const rpId = rpIdOf(yield* Deployment)

  const options = Effect.fnUntraced(function* (
    purpose: Exclude<Purpose, { readonly _tag: "SignIn" }>,
    account: { readonly handle: string; readonly name: string; readonly passkeys: PasskeyOwner["passkeys"] }
  ) {
    const { challenge, expiresAt, state } = yield* challenges.begin(purpose)
    const { title } = yield* settings.general
    const creation = { ...account, userHandle: purpose.userHandle, challenge, rpId, title }
    return { options: creationOptions(creation), state, expiresAt }
  })

  const newUserHandle = Effect.map(random.randomBytes(userHandleBytes), Base64Url.encode)

  /** Begins to add a passkey to the caller's own account. */
  const beginAddition = Effect.fnUntraced(function* (owner: PasskeyOwner) {
    if (owner.suspended) return yield* new SignInSuspended()
    if (owner.passkeys.length >= passkeysMax) {
      return yield* new TooManyPasskeys({ metadata: { maximum: passkeysMax } })
    }
    const userHandle = owner.userHandle ?? (yield* newUserHandle)
    return yield* options({ _tag: "Addition", account: owner.accountId, userHandle }, owner)
  })

  /** Begins to sign up with this handle and a passkey; or, if it is the caller's, to add a passkey. */
  const beginCreation = Effect.fn("Passkeys.beginCreation")(function* (asked: string) {
    const actor = yield* CurrentActor
    const handle = normaliseHandle(asked)
    const owner = Option.getOrUndefined(yield* store.findOwner(handle))
    if (owner !== undefined) {
      const isOwn = actor._tag === "Account" && actor.accountId === owner.accountId
      return yield* isOwn ? beginAddition(owner) : new HandleTaken({ metadata: { handle } })
    }
    yield* registration.checkHandle(handle)
    const userHandle = yield* newUserHandle
    return yield* options({ _tag: "SignUp", handle, userHandle }, { handle, name: handle, passkeys: [] })
  })

  /** Begins to sign in to the account with this handle. */
  const beginSignIn = Effect.fn("Passkeys.beginSignIn")(function* (asked: string) {
    const owner = Option.getOrUndefined(yield* store.findOwner(normaliseHandle(asked)))
    if (owner === undefined) return yield* new HandleUnknown()
    const { accountId, passkeys, suspended } = owner
    if (suspended) return yield* new SignInSuspended()
    if (passkeys.length === 0) return yield* new PasskeyNotSet()
    const { challenge, expiresAt, state } = yield* challenges.begin({ _tag: "SignIn", account: accountId })
    return { options: requestOptions(challenge, rpId, passkeys), state, expiresAt }
  })

  return { beginCreation, beginSignIn } as const
})
