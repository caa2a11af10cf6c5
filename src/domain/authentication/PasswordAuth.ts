/** Signing up and in with a handle and a password. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { normaliseHandle } from "../account/Handle.ts"
import { Sessions } from "../session/Sessions.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { Transaction } from "../storage/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import {
  type AuthPair,
  HandleUnknown,
  PasswordAlreadySet,
  type PasswordChange,
  PasswordNotSet,
  PasswordWrong,
  SignInSuspended
} from "./Password.ts"
import { PasswordHashing, signedIn, signingUp } from "./PasswordHashing.ts"
import { makePasswordProof } from "./PasswordProof.ts"
import { PasswordStore } from "./PasswordStore.ts"
import { makeRegistration } from "./Registration.ts"

const make = Effect.gen(function* () {
  const registration = yield* makeRegistration
  const passwords = yield* PasswordStore
  const hashing = yield* PasswordHashing
  const proof = yield* makePasswordProof
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions
  const transaction = yield* Transaction

  /** Makes an account and signs it in. The first account of an instance becomes its administrator. */
  const signUp = Effect.fn("PasswordAuth.signUp")(function* (
    pair: AuthPair,
    invitationId: string | undefined,
    from: ClientNetwork
  ) {
    const handle = normaliseHandle(pair.identifier)
    yield* registration.checkFree(handle)
    const terms = yield* registration.admit(invitationId)
    yield* registration.checkHandle(handle)
    const hash = yield* hashing.hash(Redacted.make(pair.token)).pipe(hashing.inPlace(signingUp(from)))
    return yield* registration.enter(terms, { handle }, from, ({ at, id }) => passwords.insert(id, hash, at))
  })

  const signIn = Effect.fn("PasswordAuth.signIn")(function* (pair: AuthPair, from: ClientNetwork) {
    const found = yield* passwords.findByHandle(normaliseHandle(pair.identifier))
    if (Option.isNone(found)) return yield* new HandleUnknown()
    const { accountId, passwordHash, suspended } = found.value
    if (passwordHash === undefined) return yield* new PasswordNotSet()
    if (suspended) return yield* new SignInSuspended()
    const session = yield* proof.signIn(accountId, pair.token, passwordHash, from)
    return Option.isSome(session) ? session.value : yield* new PasswordWrong()
  })

  /** Gives the caller's account, which has none, a password. */
  const add = Effect.fn("PasswordAuth.add")(function* (password: string) {
    const { accountId } = yield* CurrentAccount
    const hash = yield* hashing.hash(Redacted.make(password)).pipe(hashing.inPlace(signedIn(accountId)))
    const at = yield* DateTime.now
    return yield* transaction(
      Effect.gen(function* () {
        if (!(yield* passwords.insert(accountId, hash, at))) return yield* new PasswordAlreadySet()
        return yield* sessions.issue(accountId)
      })
    )
  })

  /** Fails unless this is the caller's password. Answers the hash of it. */
  const prove = Effect.fn("PasswordAuth.prove")(function* (password: string) {
    const { accountId, session } = yield* CurrentAccount
    // The operations take no credential but a session, so this is a defect.
    if (session === undefined) return yield* Effect.die(new Error("A password was sent without a session"))
    const current = Option.getOrUndefined(yield* passwords.find(accountId))?.passwordHash
    if (current === undefined) return yield* new PasswordNotSet()
    const right = yield* attempts.guard(
      accountId,
      { _tag: "Session", session },
      hashing.inPlace(signedIn(accountId)),
      proof.verify(Redacted.make(password), current)
    )
    return right ? current : yield* new PasswordWrong()
  })

  /** Replaces the caller's password. Other sessions stay, unless the caller wants them ended. */
  const change = Effect.fn("PasswordAuth.change")(function* (input: PasswordChange) {
    const { accountId } = yield* CurrentAccount
    const current = yield* prove(input.old)
    const inPlace = hashing.inPlace(signedIn(accountId))
    const hash = yield* inPlace(hashing.hash(Redacted.make(input.new)))
    const at = yield* DateTime.now
    return yield* transaction(
      Effect.gen(function* () {
        // Of two changes that prove the same old password, the second proves one that is no longer valid.
        if (!(yield* passwords.replace(accountId, current, hash, at))) return yield* new PasswordWrong()
        if (input.revoke_sessions === true) yield* sessions.endAllOf(accountId)
        return yield* sessions.issue(accountId)
      })
    )
  })

  return { signUp, signIn, add, prove, change } as const
})

export class PasswordAuth extends Context.Service<PasswordAuth, Effect.Success<typeof make>>()(
  "forum/domain/PasswordAuth"
) {
  static readonly layer = Layer.effect(PasswordAuth, make).pipe(
    Layer.provide(Layer.merge(Sessions.layer, InstanceSettings.layer)),
    Layer.provideMerge(Layer.mergeAll(AttemptLimit.layer, PasswordHashing.layer))
  )
}
