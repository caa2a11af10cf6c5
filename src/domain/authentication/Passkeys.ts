/** Signing up and in with passkeys, and adding them to accounts (Web Authentication). */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { HandleTaken } from "../account/Account.ts"
import { normaliseHandle } from "../account/Handle.ts"
import { EventLog } from "../event/EventLog.ts"
import { Sessions } from "../session/Sessions.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentActor } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/ClientNetwork.ts"
import { type AccountId, PasskeyId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import {
  PasskeyInvalid,
  PasskeyNotSet,
  PasskeyWrong,
  type PublicKeyCredential,
  passkeysMax,
  TooManyPasskeys
} from "./Passkey.ts"
import { type PasskeyChallenge, PasskeyChallenges, type Purpose } from "./PasskeyChallenges.ts"
import { nameOf } from "./PasskeyName.ts"
import { creationOptions, requestOptions, userHandleOf } from "./PasskeyOptions.ts"
import { type PasskeyOwner, PasskeyStore } from "./PasskeyStore.ts"
import { type NewCredential, PasskeyVerifier } from "./PasskeyVerifier.ts"
import { HandleUnknown, SignInSuspended } from "./Password.ts"
import { makeRegistration } from "./Registration.ts"

type Of<Tag extends PasskeyChallenge["_tag"]> = Extract<PasskeyChallenge, { readonly _tag: Tag }>

// A key of RSA with 4,096 bits takes about 530; one with a longer exponent takes long to check.
const publicKeyBytesMax = 1024

const userHandleBytes = 32

const invalid = (reason: "challenge" | "response") => new PasskeyInvalid({ metadata: { reason } })

/** Says in the log why an answer was refused, which is of use to those who write clients. */
const refused = <P>(why: unknown, problem: P) =>
  Effect.andThen(Effect.logDebug("The answer of an authenticator was refused", why), Effect.fail(problem))

const wrong = (reason: "challenge" | "credential" | "response" | "counter") =>
  new PasskeyWrong({ metadata: { reason } })

const make = Effect.gen(function* () {
  const store = yield* PasskeyStore
  const challenges = yield* PasskeyChallenges
  const verifier = yield* PasskeyVerifier
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions
  const settings = yield* InstanceSettings
  const registration = yield* makeRegistration
  const ids = yield* Ids
  const random = yield* SecureRandom.SecureRandom
  const events = yield* EventLog
  const transaction = yield* Transaction
  const deployment = yield* Deployment

  // Browsers let pages use passkeys of their own host and of those above it: pages are at the web address.
  const rpId = deployment.webUrl.hostname
  const origins = [deployment.webUrl.origin, deployment.publicUrl.origin, ...deployment.origins]

  const expectationOf = ({ challenge }: PasskeyChallenge) => ({ challenge, rpId, origins })

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

  const verifyCreation = Effect.fnUntraced(function* (
    credential: PublicKeyCredential,
    ceremony: PasskeyChallenge
  ) {
    const created = yield* verifier
      .verifyCreation(credential, expectationOf(ceremony))
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

  const useUp = Effect.fnUntraced(function* <P>(ceremony: PasskeyChallenge, problem: P) {
    if (!(yield* challenges.use(ceremony))) return yield* Effect.fail(problem)
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
    return yield* transaction(Effect.andThen(useUp(ceremony, invalid("challenge")), entering))
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
      yield* useUp(ceremony, invalid("challenge"))
      yield* events.append(account, yield* keep(account, userHandle, created, at))
      return yield* sessions.issue(account)
    })
    return yield* transaction(adding)
  })

  /** Makes the account that signs up, or adds the passkey to the caller's; either way a session begins. */
  const create = Effect.fn("Passkeys.create")(function* (
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
    const expected = userHandleOf(account, passkey.userHandle)
    if ((credential.response.userHandle ?? expected) !== expected) return yield* wrong("credential")
    const signatures = yield* verifier
      .verifyAssertion(credential, passkey.publicKey, expectationOf(ceremony))
      .pipe(Effect.catchTag("ResponseRefused", ({ why }) => refused(why, wrong("response"))))
    const at = yield* DateTime.now
    const entering = Effect.gen(function* () {
      yield* useUp(ceremony, wrong("challenge"))
      if (!(yield* store.noteSignature(passkey.id, signatures, at))) return yield* wrong("counter")
      yield* attempts.noteSignIn(account, from)
      return yield* sessions.issue(account)
    })
    return yield* transaction(entering)
  })

  return { beginCreation, create, beginSignIn, signIn, forgetUsed: challenges.forgetUsed } as const
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
