/** Taking a new passkey, of who signs up with it or adds it to an account. */
import { DateTime, Effect, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { Sessions } from "../session/Sessions.ts"
import { Deployment } from "../settings/Deployment.ts"
import { CurrentActor } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { type AccountId, PasskeyId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { PasskeyInvalid, type PublicKeyCredential } from "./Passkey.ts"
import { type PasskeyChallenge, PasskeyChallenges } from "./PasskeyChallenges.ts"
import { expectationOf } from "./PasskeyOptions.ts"
import { PasskeyStore } from "./PasskeyStore.ts"
import { type NewCredential, PasskeyVerifier, refused } from "./PasskeyVerifier.ts"
import { SignInSuspended } from "./Password.ts"
import { makeRegistration } from "./Registration.ts"

/** Where passkeys are kept, by the id (AAGUID) that each keeper of them gives to all of its own. */
const keepers: ReadonlyMap<string, string> = new Map([
  ["fbfc3007-154e-4ecc-8c0b-6e020557d7bd", "iCloud Keychain"],
  ["dd4ec289-e01d-41c9-bb89-70fa845d4bf2", "iCloud Keychain"],
  ["ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", "Google Password Manager"],
  ["adce0002-35bc-c60a-648b-0b25f1f05503", "Chrome on Mac"],
  ["08987058-cadc-4b81-b6e1-30de50dcbe96", "Windows Hello"],
  ["9ddd1817-af5a-4672-a2b9-3e3dd95000a9", "Windows Hello"],
  ["6028b017-b1d4-4c02-b4b3-afcdafc96bb2", "Windows Hello"],
  ["53414d53-554e-4700-0000-000000000000", "Samsung Pass"],
  ["bada5566-a7aa-401f-bd96-45619a55120d", "1Password"],
  ["d548826e-79b4-db40-a3d8-11116f7e8349", "Bitwarden"],
  ["531126d6-e717-415c-9320-3d9aa6981239", "Dashlane"],
  ["fdb141b2-5d84-443e-8a35-4698c205a502", "KeePassXC"],
  ["50726f74-6f6e-5061-7373-50726f746f6e", "Proton Pass"]
])

const unknown = "Unknown"

/** The name of a new passkey. Most authenticators do not say what they are. */
export const nameOf = (aaguid: string): string => keepers.get(aaguid) ?? unknown

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
    const terms = yield* registration.admit(invitationId)
    const created = yield* verifyCreation(credential, ceremony)
    const entering = registration.enter(terms, { handle }, from, ({ at, id }) =>
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
