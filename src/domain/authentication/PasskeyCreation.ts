/** Taking a new passkey, of who signs up with it or adds it to an account. */
import { DateTime, Effect, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { Sessions } from "../session/Sessions.ts"
import { Deployment } from "../settings/Deployment.ts"
import { CurrentActor } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/ClientNetwork.ts"
import { type AccountId, PasskeyId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { PasskeyInvalid, type PublicKeyCredential } from "./Passkey.ts"
import { type PasskeyChallenge, PasskeyChallenges } from "./PasskeyChallenges.ts"
import { nameOf } from "./PasskeyName.ts"
import { expectationOf } from "./PasskeyOptions.ts"
import { PasskeyStore } from "./PasskeyStore.ts"
import { type NewCredential, PasskeyVerifier, refused } from "./PasskeyVerifier.ts"
import { SignInSuspended } from "./Password.ts"
import { makeRegistration } from "./Registration.ts"

type Of<Tag extends PasskeyChallenge["_tag"]> = Extract<PasskeyChallenge, { readonly _tag: Tag }>

// A key of RSA with 4,096 bits takes about 530; one with a longer exponent takes long to check.
const publicKeyBytesMax = 1024

const invalid = (reason: "challenge" | "response") => new PasskeyInvalid({ metadata: { reason } })

export const makePasskeyCreation = Effect.gen(function* () {
  const store = yield* PasskeyStore
  const challenges = yield* PasskeyChallenges
  const verifier = yield* PasskeyVerifier
  const sessions = yield* Sessions
  const registration = yield* makeRegistration
  const ids = yield* Ids
  const events = yield* EventLog
  const transaction = yield* Transaction
  const deployment = yield* Deployment

  const verifyCreation = Effect.fnUntraced(function* (
    credential: PublicKeyCredential,
    ceremony: PasskeyChallenge
  ) {
    const created = yield* verifier
      .verifyCreation(credential, expectationOf(deployment, ceremony))
      .pipe(Effect.catchTag("ResponseRefused", ({ why }) => refused(why, invalid("response"))))
    const isUsual = created.id === credential.id && created.publicKey.length <= publicKeyBytesMax
    return isUsual ? created : yield* invalid("response")
  })

  /** Stores a passkey as part of the running transaction; answers what to append to the log. */
  const keep = Effect.fnUntraced(function* (
    accountId: AccountId,
    userHandle: string,
    created: NewCredential,
    at: DateTime.Utc
  ) {
    const { aaguid, id: credentialId, publicKey, signatures, transports } = created
    const id = PasskeyId.make(yield* ids.next)
    const passkey = { id, accountId, credentialId, publicKey, userHandle, signatures, transports, at }
    yield* store.insert({ ...passkey, name: nameOf(aaguid) })
    return { _tag: "PasskeyAdded", id, account_id: accountId } as const
  })

  /** Lets nobody use the challenge again, as part of the running transaction. */
  const useUp = Effect.fnUntraced(function* (ceremony: PasskeyChallenge) {
    if (!(yield* challenges.use(ceremony))) return yield* invalid("challenge")
  })

  const signUp = Effect.fnUntraced(function* (
    credential: PublicKeyCredential,
    ceremony: Of<"SignUp">,
    invitationId: string | undefined,
    from: ClientNetwork
  ) {
    const { handle, userHandle } = ceremony
    yield* registration.checkFree(handle)
    const admission = yield* registration.admit(invitationId)
    const created = yield* verifyCreation(credential, ceremony)
    const entering = registration.enter(admission, { handle }, from, ({ at, id }) =>
      Effect.flatMap(keep(id, userHandle, created, at), (added) => events.append(id, added))
    )
    return yield* transaction(Effect.andThen(useUp(ceremony), entering))
  })

  const add = Effect.fnUntraced(function* (credential: PublicKeyCredential, ceremony: Of<"Addition">) {
    const actor = yield* CurrentActor
    const { account, userHandle } = ceremony
    // The session that asked may have ended meanwhile, or be another one.
    if (actor._tag === "Guest" || actor.accountId !== account) return yield* invalid("challenge")
    if (actor.suspended) return yield* new SignInSuspended()
    const created = yield* verifyCreation(credential, ceremony)
    const at = yield* DateTime.now
    const adding = Effect.gen(function* () {
      yield* useUp(ceremony)
      yield* events.append(account, yield* keep(account, userHandle, created, at))
      return yield* sessions.issue(account)
    })
    return yield* transaction(adding)
  })

  /** Makes the account that signs up, or adds the passkey to the caller's; either way a session begins. */
  return Effect.fn("Passkeys.create")(function* (
    credential: PublicKeyCredential,
    states: ReadonlyArray<string>,
    invitationId: string | undefined,
    from: ClientNetwork
  ) {
    const ceremony = Option.getOrUndefined(yield* challenges.find(states))
    if (ceremony === undefined || ceremony._tag === "SignIn") return yield* invalid("challenge")
    if (ceremony._tag === "Addition") return yield* add(credential, ceremony)
    return yield* signUp(credential, ceremony, invitationId, from)
  })
})
