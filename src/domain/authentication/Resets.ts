/** Setting a new password with a token, which is mailed or given to staff. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import type { Account } from "../account/Account.ts"
import { EmailAddressNotFound } from "../account/Email.ts"
import { EmailAddressStore } from "../account/EmailAddressStore.ts"
import { makeSignInChanges } from "../account/SignInAuthority.ts"
import { EventLog } from "../event/EventLog.ts"
import { Sessions } from "../session/Sessions.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { AccountId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import { EmailAddressUnknown } from "./EmailSignIn.ts"
import { PasswordNotSet, SignInSuspended } from "./Password.ts"
import { PasswordHashing, signingIn } from "./PasswordHashing.ts"
import { ResetStore } from "./ResetStore.ts"
import {
  decidePage,
  type PasswordReset,
  type ResetRequest,
  ResetTokenInvalid,
  type StaffResetMail
} from "./ResetToken.ts"
import { makeResetTokens } from "./ResetTokens.ts"

const make = Effect.gen(function* () {
  const store = yield* ResetStore
  const addresses = yield* EmailAddressStore
  const hashing = yield* PasswordHashing
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions
  const events = yield* EventLog
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const { hash, issue, mail } = yield* makeResetTokens
  const { webUrl } = yield* Deployment
  const asSignInChange = yield* makeSignInChanges

  /** Mails a token to an address of an account that has forgotten its password. */
  const request = Effect.fn("Resets.request")(function* (
    { email, token_url }: ResetRequest,
    from: ClientNetwork
  ) {
    const page = yield* Effect.fromResult(decidePage(token_url, webUrl))
    const found = yield* addresses.findByAddress(email)
    if (Option.isNone(found)) return yield* new EmailAddressUnknown()
    const client = yield* attempts.clientOf(found.value.accountId, from)
    // Strangers ask for it, as often as they like.
    const mailed = queue(found.value.accountId, transaction(mail(found.value, page, token_url, client)))
    if (!(yield* mailed)) return yield* new EmailAddressUnknown()
  })

  /** Gives staff a token for an account. */
  const issueForStaff = Effect.fn("Resets.issueForStaff")(function* (accountId: AccountId) {
    const { accountId: staff } = yield* CurrentAccount
    const token = yield* asSignInChange(accountId, ({ id }) =>
      Effect.tap(
        Effect.andThen(addresses.findOwnerForUpdate(id), issue(id, undefined, undefined)),
        events.append(staff, { _tag: "PasswordResetTokenIssued", id })
      )
    )
    return { token }
  })

  /** Mails a token to one of an account's addresses, for staff. */
  const mailForStaff = Effect.fn("Resets.mailForStaff")(function* (
    accountId: AccountId,
    { email_address_id: address, token_url }: StaffResetMail,
    network: ClientNetwork
  ) {
    const { accountId: staff } = yield* CurrentAccount
    const write = ({ id }: Account) =>
      Effect.gen(function* () {
        const page = yield* Effect.fromResult(decidePage(token_url, webUrl))
        const client = { network, isKnown: true }
        if (!(yield* mail({ accountId: id, id: address }, page, token_url, client))) {
          return yield* new EmailAddressNotFound({ metadata: { email_address: address } })
        }
        yield* events.append(staff, { _tag: "PasswordResetEmailSent", id, email_address_id: address })
      })
    yield* asSignInChange(accountId, write)
  })

  /** Sets the password that a token is for, and signs in. Other sessions stay, unless they are to be ended. */
  const reset = Effect.fn("Resets.reset")(function* (input: PasswordReset, from: ClientNetwork) {
    const tokenHash = yield* hash(input.token)
    const found = yield* store.findAccount(tokenHash, yield* DateTime.now)
    if (Option.isNone(found)) return yield* new ResetTokenInvalid()
    const { accountId, passwordHash, suspended } = found.value
    if (passwordHash === undefined) return yield* new PasswordNotSet()
    if (suspended) return yield* new SignInSuspended()
    const newHash = yield* hashing.hash(Redacted.make(input.new)).pipe(hashing.inPlace(signingIn(from)))
    const at = yield* DateTime.now
    return yield* transaction(
      Effect.gen(function* () {
        // Every change of a password ends all tokens for it, and hashing may have taken long.
        if (!(yield* store.replacePassword(tokenHash, passwordHash, newHash, at))) {
          return yield* new ResetTokenInvalid()
        }
        // Before the lock of sessions, as where somebody signs in.
        yield* attempts.noteSignIn(accountId, from)
        if (input.revoke_sessions === true) yield* sessions.endAllOf(accountId)
        return yield* sessions.issue(accountId)
      })
    )
  })

  /** Forgets tokens that are no longer valid. */
  const forgetExpired = Effect.flatMap(DateTime.now, store.deleteExpired)

  return { request, issueForStaff, mailForStaff, reset, forgetExpired } as const
})

export class Resets extends Context.Service<Resets, Effect.Success<typeof make>>()("forum/domain/Resets") {
  static readonly layer = Layer.effect(Resets, make).pipe(
    Layer.provide(
      Layer.mergeAll(Sessions.layer, InstanceSettings.layer, AttemptLimit.layer, PasswordHashing.layer)
    )
  )
}
