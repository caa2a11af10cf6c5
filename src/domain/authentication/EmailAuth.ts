/** Signing up and in with an email address, by a password or by a code that is sent to it. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { EmailAddressTaken } from "../account/Email.ts"
import { EmailAddressStore } from "../account/EmailAddressStore.ts"
import { normaliseHandle } from "../account/Handle.ts"
import { EventLog } from "../event/EventLog.ts"
import type { IssuedSession } from "../session/Session.ts"
import { Sessions } from "../session/Sessions.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import type { ClientNetwork } from "../shared/ClientNetwork.ts"
import { EmailAddressId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { WriteQueue } from "../storage/WriteQueue.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { makeEmailCodes } from "./EmailCodes.ts"
import {
  CodeWrong,
  EmailAddressUnknown,
  type EmailCode,
  type EmailOnly,
  type EmailPasswordPair
} from "./EmailSignIn.ts"
import { type AddressCandidate, EmailSignInStore } from "./EmailSignInStore.ts"
import { PasswordNotSet, PasswordWrong, SignInSuspended } from "./Password.ts"
import { PasswordHashing, signingIn, signingUp } from "./PasswordHashing.ts"
import { PasswordStore } from "./PasswordStore.ts"
import { type Entered, makeRegistration } from "./Registration.ts"

const make = Effect.gen(function* () {
  const registration = yield* makeRegistration
  const codes = yield* makeEmailCodes
  const store = yield* EmailSignInStore
  const addresses = yield* EmailAddressStore
  const passwords = yield* PasswordStore
  const hashing = yield* PasswordHashing
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions
  const ids = yield* Ids
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue

  const get = (email: string) =>
    Effect.flatMap(
      store.findByAddress(email),
      Option.match({
        onNone: () => Effect.fail(new EmailAddressUnknown()),
        onSome: (candidate) => Effect.succeed(candidate)
      })
    )

  const checkFree = Effect.fnUntraced(function* (email: string) {
    if (Option.isSome(yield* addresses.findByAddress(email))) {
      return yield* new EmailAddressTaken({ metadata: { email_address: email } })
    }
  })

  /** Checks who may sign up, and then the form of the handle. */
  const admit = Effect.fnUntraced(function* (handle: string | undefined, invitationId: string | undefined) {
    const admission = yield* registration.admit(invitationId)
    if (handle !== undefined) yield* registration.checkHandle(handle)
    return admission
  })

  /** Gives a new account its address, which it has to confirm. */
  const addAddress = Effect.fnUntraced(function* (
    email: string,
    { at, handle, id: accountId }: Entered,
    network: ClientNetwork
  ) {
    const id = EmailAddressId.make(yield* ids.next)
    const added = { id, accountId, address: email, verified: false }
    // It has no other one.
    yield* Effect.catchTag(addresses.insert(added, at), "TooManyEmailAddresses", Effect.die)
    yield* codes.send(added, { handle, name: handle }, { network, isKnown: true })
    yield* events.append(accountId, {
      _tag: "EmailAddressAdded",
      account_id: accountId,
      email_address_id: id
    })
  })

  /** Makes an account with an address and a password, and signs it in. */
  const signUpWithPassword = Effect.fn("EmailAuth.signUpWithPassword")(function* (
    input: EmailPasswordPair,
    invitationId: string | undefined,
    from: ClientNetwork
  ) {
    const handle = input.handle === undefined ? undefined : normaliseHandle(input.handle)
    if (handle !== undefined) yield* registration.checkFree(handle)
    yield* checkFree(input.email)
    const admission = yield* admit(handle, invitationId)
    const hash = yield* hashing.hash(Redacted.make(input.password)).pipe(hashing.inPlace(signingUp(from)))
    return yield* registration.enter(admission, { handle }, from, (entered) =>
      Effect.andThen(passwords.insert(entered.id, hash, entered.at), addAddress(input.email, entered, from))
    )
  })

  const signInWithPassword = Effect.fn("EmailAuth.signInWithPassword")(function* (
    { email, password }: EmailPasswordPair,
    from: ClientNetwork
  ) {
    const { accountId, passwordHash, suspended } = yield* get(email)
    if (suspended) return yield* new SignInSuspended()
    if (passwordHash === undefined) return yield* new PasswordNotSet()
    const right = yield* attempts.guard(
      accountId,
      { _tag: "Network", network: from },
      hashing.inPlace(signingIn(from)),
      hashing.verify(Redacted.make(password), passwordHash)
    )
    const session = right ? yield* sessions.issueByPassword(accountId, passwordHash) : Option.none()
    return Option.isSome(session) ? session.value : yield* new PasswordWrong()
  })

  /**
   * Sends a code to an address that an account has. One that was removed meanwhile gets none. Strangers ask for it,
   * as often as they like.
   */
  const sendCode = Effect.fnUntraced(function* (to: AddressCandidate, from: ClientNetwork) {
    const client = yield* attempts.clientOf(to.accountId, from)
    const write = Effect.gen(function* () {
      const owner = yield* addresses.findOwnerForUpdate(to.accountId)
      const address = yield* addresses.findOf(to.accountId, to.id)
      if (Option.isSome(owner) && Option.isSome(address))
        yield* codes.send(address.value, owner.value, client)
    })
    yield* queue(to.accountId, transaction(write))
  })

  /** Sends a code to an address if an account has it; answers whether one does. */
  const resend = Effect.fnUntraced(function* (email: string, from: ClientNetwork) {
    const known = yield* store.findByAddress(email)
    if (Option.isSome(known)) yield* sendCode(known.value, from)
    return Option.isSome(known)
  })

  /**
   * Makes an account that signs in with codes, and signs it in. An address that is known already is sent a code
   * instead, and nobody is signed in.
   */
  const signUpWithCode = Effect.fn("EmailAuth.signUpWithCode")(function* (
    input: EmailOnly,
    invitationId: string | undefined,
    from: ClientNetwork
  ) {
    if (yield* resend(input.email, from)) return Option.none<IssuedSession>()
    const handle = input.handle === undefined ? undefined : normaliseHandle(input.handle)
    if (handle !== undefined) yield* registration.checkFree(handle)
    const admission = yield* admit(handle, invitationId)
    const signUp = registration.enter(admission, { handle }, from, (entered) =>
      Effect.andThen(store.allowCodes(entered.id, entered.at), addAddress(input.email, entered, from))
    )
    return yield* Effect.map(signUp, Option.some).pipe(
      // Another request has signed up with it in the meantime.
      Effect.catchTag("EmailAddressTaken", () =>
        Effect.as(resend(input.email, from), Option.none<IssuedSession>())
      )
    )
  })

  /** Sends a code to sign in with. */
  const requestCode = Effect.fn("EmailAuth.requestCode")(function* (
    { email }: EmailOnly,
    from: ClientNetwork
  ) {
    const candidate = yield* get(email)
    if (!candidate.takesCodes) return yield* new EmailAddressUnknown()
    if (candidate.suspended) return yield* new SignInSuspended()
    yield* sendCode(candidate, from)
  })

  const confirm = Effect.fnUntraced(function* ({ accountId, id, verified }: AddressCandidate) {
    if (verified) return
    yield* addresses.setVerified(id, true)
    yield* addresses.updateVerification(accountId, yield* DateTime.now)
    yield* events.append(accountId, {
      _tag: "EmailAddressVerified",
      account_id: accountId,
      email_address_id: id,
      verified: true
    })
  })

  /** Signs in with a code that was sent to an address, which is confirmed by it. */
  const verify = Effect.fn("EmailAuth.verify")(function* ({ code, email }: EmailCode, from: ClientNetwork) {
    const found = yield* store.findByAddress(email)
    if (Option.isNone(found)) return yield* new CodeWrong()
    const candidate = found.value
    const nonce = yield* codes.check(candidate, code, from)
    if (candidate.suspended) return yield* new SignInSuspended()
    return yield* transaction(
      Effect.gen(function* () {
        yield* addresses.findOwnerForUpdate(candidate.accountId)
        if (!(yield* store.takeCode(candidate.id, nonce))) return yield* new CodeWrong()
        yield* confirm(candidate)
        return yield* sessions.issue(candidate.accountId)
      })
    )
  })

  /** Forgets codes that are no longer valid. */
  const forgetCodes = Effect.flatMap(DateTime.now, store.deleteExpiredCodes)

  return { signUpWithPassword, signInWithPassword, signUpWithCode, requestCode, verify, forgetCodes } as const
})

export class EmailAuth extends Context.Service<EmailAuth, Effect.Success<typeof make>>()(
  "forum/domain/EmailAuth"
) {
  static readonly layer = Layer.effect(EmailAuth, make).pipe(
    Layer.provide(
      Layer.mergeAll(Sessions.layer, InstanceSettings.layer, AttemptLimit.layer, PasswordHashing.layer)
    )
  )
}
