/** Signing up with an email address, by a password or by a code that is sent to it. */
import { Effect, Option, Redacted } from "effect"
import { EmailAddressTaken } from "../account/Email.ts"
import { EmailAddressStore } from "../account/EmailAddressStore.ts"
import { normaliseHandle } from "../account/Handle.ts"
import { EventLog } from "../event/EventLog.ts"
import type { IssuedSession } from "../session/Session.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { EmailAddressId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { EmailCodes } from "./EmailCodes.ts"
import type { EmailOnly, EmailPasswordPair } from "./EmailSignIn.ts"
import { EmailSignInStore } from "./EmailSignInStore.ts"
import { PasswordHashing, signingUp } from "./PasswordHashing.ts"
import { PasswordStore } from "./PasswordStore.ts"
import { type Entered, makeRegistration } from "./Registration.ts"

export const makeEmailSignUps = Effect.gen(function* () {
  const registration = yield* makeRegistration
  const codes = yield* EmailCodes
  const store = yield* EmailSignInStore
  const addresses = yield* EmailAddressStore
  const passwords = yield* PasswordStore
  const hashing = yield* PasswordHashing
  const ids = yield* Ids
  const events = yield* EventLog

  const checkFree = Effect.fnUntraced(function* (email: string) {
    if (Option.isSome(yield* addresses.findByAddress(email))) {
      return yield* new EmailAddressTaken({ metadata: { email_address: email } })
    }
  })

  /** Checks who may sign up, and then the form of the handle. */
  const admit = Effect.fnUntraced(function* (handle: string | undefined, invitationId: string | undefined) {
    const terms = yield* registration.admit(invitationId)
    if (handle !== undefined) yield* registration.checkHandle(handle)
    return terms
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
    const terms = yield* admit(handle, invitationId)
    const hash = yield* hashing.hash(Redacted.make(input.password)).pipe(hashing.inPlace(signingUp(from)))
    return yield* registration.enter(terms, { handle }, from, (entered) =>
      Effect.andThen(passwords.insert(entered.id, hash, entered.at), addAddress(input.email, entered, from))
    )
  })

  /** Sends a code to an address if an account has it; answers whether one does. */
  const resend = Effect.fnUntraced(function* (email: string, from: ClientNetwork) {
    const known = yield* store.findByAddress(email)
    if (Option.isSome(known)) yield* codes.sendIfKept(known.value, from)
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
    const terms = yield* admit(handle, invitationId)
    const signUp = registration.enter(terms, { handle }, from, (entered) =>
      Effect.andThen(store.allowCodes(entered.id, entered.at), addAddress(input.email, entered, from))
    )
    return yield* Effect.map(signUp, Option.some).pipe(
      // Another request has signed up with it in the meantime.
      Effect.catchTag("EmailAddressTaken", () =>
        Effect.as(resend(input.email, from), Option.none<IssuedSession>())
      )
    )
  })

  return { signUpWithPassword, signUpWithCode } as const
})
