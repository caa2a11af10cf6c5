/** Signing in with an email address, by a password or by a code that is sent to it. */
import { DateTime, Effect, Option } from "effect"
import { EmailAddressStore } from "../account/EmailAddressStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { Sessions } from "../session/Sessions.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { Transaction } from "../storage/Transaction.ts"
import { EmailCodes } from "./EmailCodes.ts"
import {
  CodeWrong,
  EmailAddressUnknown,
  type EmailCode,
  type EmailOnly,
  type EmailPasswordPair
} from "./EmailSignIn.ts"
import { type AddressCandidate, EmailSignInStore } from "./EmailSignInStore.ts"
import { PasswordNotSet, PasswordWrong, SignInSuspended } from "./Password.ts"
import { makePasswordProof } from "./PasswordProof.ts"

export const makeEmailSignIns = Effect.gen(function* () {
  const codes = yield* EmailCodes
  const store = yield* EmailSignInStore
  const addresses = yield* EmailAddressStore
  const proof = yield* makePasswordProof
  const sessions = yield* Sessions
  const events = yield* EventLog
  const transaction = yield* Transaction

  const get = (email: string) =>
    Effect.flatMap(
      store.findByAddress(email),
      Option.match({
        onNone: () => Effect.fail(new EmailAddressUnknown()),
        onSome: (candidate) => Effect.succeed(candidate)
      })
    )

  const signInWithPassword = Effect.fn("EmailAuth.signInWithPassword")(function* (
    { email, password }: EmailPasswordPair,
    from: ClientNetwork
  ) {
    const { accountId, passwordHash, suspended } = yield* get(email)
    if (suspended) return yield* new SignInSuspended()
    if (passwordHash === undefined) return yield* new PasswordNotSet()
    const session = yield* proof.signIn(accountId, password, passwordHash, from)
    return Option.isSome(session) ? session.value : yield* new PasswordWrong()
  })

  /** Sends a code to sign in with. */
  const requestCode = Effect.fn("EmailAuth.requestCode")(function* (
    { email }: EmailOnly,
    from: ClientNetwork
  ) {
    const candidate = yield* get(email)
    if (!candidate.takesCodes) return yield* new EmailAddressUnknown()
    if (candidate.suspended) return yield* new SignInSuspended()
    yield* codes.sendIfKept(candidate, from)
  })

  const confirm = Effect.fnUntraced(function* ({ accountId, id, verified }: AddressCandidate) {
    if (verified) return
    yield* addresses.setVerified(id, true)
    yield* addresses.updateVerification(accountId, yield* DateTime.now)
    yield* events.append(
      accountId,
      { _tag: "EmailAddressVerified", account_id: accountId, email_address_id: id, verified: true },
      { _tag: "AccountUpdated", id: accountId }
    )
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

  return { signInWithPassword, requestCode, verify } as const
})
