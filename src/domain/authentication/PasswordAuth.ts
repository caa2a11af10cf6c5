/** Signing up and in with a handle and a password. */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { HandleTaken } from "../account/Account.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { checkHandle, normaliseHandle } from "../account/Handle.ts"
import { EventLog } from "../event/EventLog.ts"
import { InvitationStore } from "../invitation/InvitationStore.ts"
import { Sessions } from "../session/Sessions.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import { AccountId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../shared/Transaction.ts"
import { AttemptLimit } from "./AttemptLimit.ts"
import type { ClientNetwork } from "./ClientNetwork.ts"
import {
  type AuthPair,
  HandleUnknown,
  PasswordAlreadySet,
  type PasswordChange,
  PasswordNotSet,
  PasswordWrong,
  SignInSuspended
} from "./Password.ts"
import { PasswordHashing, signedIn, signingIn, signingUp } from "./PasswordHashing.ts"
import { PasswordStore } from "./PasswordStore.ts"
import { closed, decideRegistration, type NamedInvitation } from "./RegistrationRules.ts"

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const passwords = yield* PasswordStore
  const hashing = yield* PasswordHashing
  const attempts = yield* AttemptLimit
  const sessions = yield* Sessions
  const settings = yield* InstanceSettings
  const invitations = yield* InvitationStore
  const ids = yield* Ids
  const events = yield* EventLog
  const transaction = yield* Transaction

  const findInvitation = (id: string | undefined): Effect.Effect<NamedInvitation> =>
    id === undefined
      ? Effect.succeed({ _tag: "None" })
      : Effect.map(
          invitations.find(id),
          Option.match({
            onNone: (): NamedInvitation => ({ _tag: "Unknown", id }),
            onSome: ({ id }) => ({ _tag: "Found", id })
          })
        )

  /** Makes an account and signs it in. The first account of an instance becomes its administrator. */
  const signUp = Effect.fn("PasswordAuth.signUp")(function* (
    pair: AuthPair,
    invitationId: string | undefined,
    from: ClientNetwork
  ) {
    const handle = normaliseHandle(pair.identifier)
    if (Option.isSome(yield* accounts.findIdByHandle(handle))) {
      return yield* new HandleTaken({ metadata: { handle } })
    }
    const { registration_mode: mode } = yield* settings.general
    const invitation = yield* findInvitation(invitationId)
    const registration = Effect.fromResult(decideRegistration(mode, invitation))
    if (yield* accounts.any) yield* registration
    yield* checkHandle(handle)
    const hash = yield* hashing.hash(Redacted.make(pair.token)).pipe(hashing.inPlace(signingUp(from)))
    const id = AccountId.make(yield* ids.next)
    const account = {
      id,
      handle,
      at: yield* DateTime.now,
      invitationId: invitation._tag === "Found" ? invitation.id : undefined
    }
    return yield* transaction(
      Effect.gen(function* () {
        // The rules are not for the first account, which another may have become meanwhile.
        const isFirst = yield* accounts.insert(account)
        if (!isFirst) yield* registration
        yield* passwords.insert(id, hash, account.at)
        yield* attempts.noteSignIn(id, from)
        yield* events.append(id, { _tag: "AccountCreated", id })
        return yield* sessions.issue(id)
      })
    ).pipe(Effect.catchTag("InvitationGone", () => Effect.fail(closed(mode, invitation))))
  })

  const signIn = Effect.fn("PasswordAuth.signIn")(function* (pair: AuthPair, from: ClientNetwork) {
    const found = yield* passwords.findByHandle(normaliseHandle(pair.identifier))
    if (Option.isNone(found)) return yield* new HandleUnknown()
    const { accountId, passwordHash, suspended } = found.value
    if (passwordHash === undefined) return yield* new PasswordNotSet()
    if (suspended) return yield* new SignInSuspended()
    const right = yield* attempts.guard(
      accountId,
      { _tag: "Network", network: from },
      hashing.inPlace(signingIn(from)),
      hashing.verify(Redacted.make(pair.token), passwordHash)
    )
    if (!right) return yield* new PasswordWrong()
    return yield* sessions.issue(accountId)
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

  /** Replaces the caller's password. Other sessions stay, unless the caller wants them ended. */
  const change = Effect.fn("PasswordAuth.change")(function* (input: PasswordChange) {
    const { accountId, session } = yield* CurrentAccount
    // The operation takes no other credential.
    if (session === undefined) return yield* Effect.die(new Error("A password was changed without a session"))
    const current = Option.getOrUndefined(yield* passwords.find(accountId))?.passwordHash
    if (current === undefined) return yield* new PasswordNotSet()
    const inPlace = hashing.inPlace(signedIn(accountId))
    const right = yield* attempts.guard(
      accountId,
      { _tag: "Session", session },
      inPlace,
      hashing.verify(Redacted.make(input.old), current)
    )
    if (!right) return yield* new PasswordWrong()
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

  return { signUp, signIn, add, change } as const
})

export class PasswordAuth extends Context.Service<PasswordAuth, Effect.Success<typeof make>>()(
  "forum/domain/PasswordAuth"
) {
  static readonly layer = Layer.effect(PasswordAuth, make).pipe(
    Layer.provide(Layer.merge(Sessions.layer, InstanceSettings.layer)),
    Layer.provideMerge(Layer.mergeAll(AttemptLimit.layer, PasswordHashing.layer))
  )
}
