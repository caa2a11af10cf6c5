/**
 * What whoever runs the service does with accounts, from outside of it. The same rules hold as for people, except for
 * those that say who may do something; nobody in particular is who did it.
 */
import { Context, Data, DateTime, Effect, Layer, Option, type Redacted } from "effect"
import { AccountNotFound, HandleTaken } from "../account/Account.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { checkHandle, normaliseHandle } from "../account/Handle.ts"
import { PasswordHashing, signedIn } from "../authentication/PasswordHashing.ts"
import { PasswordStore } from "../authentication/PasswordStore.ts"
import { EventLog } from "../event/EventLog.ts"
import { builtIn } from "../role/Role.ts"
import { Sessions } from "../session/Sessions.ts"
import { AccountId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { Transaction } from "../storage/Transaction.ts"

/** Somebody else has changed the same password at the same time: only one of the changes counts. */
export class PasswordChangedMeanwhile extends Data.TaggedError("PasswordChangedMeanwhile") {}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const passwords = yield* PasswordStore
  const hashing = yield* PasswordHashing
  const sessions = yield* Sessions
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids
  const tokens = yield* makeTokens

  const hashFor = (id: AccountId, password: Redacted.Redacted) =>
    hashing.hash(password).pipe(hashing.inPlace(signedIn(id)))

  /** Makes an account that is an administrator, whoever may sign up. Answers its handle. */
  const createAdministrator = Effect.fn("OperatorAccounts.createAdministrator")(function* (
    name: string,
    password: Redacted.Redacted
  ) {
    const handle = normaliseHandle(name)
    // Whoever runs the service decides what it reserves.
    yield* checkHandle(handle, [])
    if (Option.isSome(yield* accounts.findIdByHandle(handle))) {
      return yield* new HandleTaken({ metadata: { handle } })
    }
    const id = AccountId.make(yield* ids.next)
    const hash = yield* hashFor(id, password)
    const at = yield* DateTime.now
    yield* transaction(
      Effect.gen(function* () {
        const isFirst = yield* accounts.insert({ id, handle, at, invitationId: undefined }).pipe(
          // It names none.
          Effect.catchTag("InvitationGone", Effect.die)
        )
        if (!isFirst) yield* accounts.setAdmin(id, true)
        yield* passwords.insert(id, hash, at)
        yield* events.append(undefined, { _tag: "AccountCreated", id })
        if (!isFirst)
          yield* events.append(undefined, { _tag: "RoleAssigned", id: builtIn.admin, account_id: id })
      })
    )
    return handle
  })

  /** Sets the password that an account has now; false if somebody else changes it at the same time. */
  const replace = Effect.fnUntraced(function* (id: AccountId, hash: string) {
    const at = yield* DateTime.now
    const current = Option.getOrUndefined(yield* passwords.find(id))?.passwordHash
    return current === undefined
      ? yield* passwords.insert(id, hash, at)
      : yield* passwords.replace(id, current, hash, at)
  })

  /**
   * Gives an account another password, or its first one. Its sessions stay unless they are to end. The audit log says
   * so, as it says of tokens that set passwords.
   */
  const setPassword = Effect.fn("OperatorAccounts.setPassword")(function* (
    mark: string,
    password: Redacted.Redacted,
    endsSessions: boolean
  ) {
    const found = yield* accounts.findIdByHandleOrId(mark)
    if (Option.isNone(found)) return yield* new AccountNotFound({ metadata: { account: mark } })
    const id = found.value
    const hash = yield* hashFor(id, password)
    yield* transaction(
      Effect.gen(function* () {
        if (!(yield* replace(id, hash))) return yield* new PasswordChangedMeanwhile()
        if (endsSessions) yield* sessions.endAllOf(id)
        yield* events.append(undefined, { _tag: "PasswordResetTokenIssued", id })
      })
    )
  })

  return { createAdministrator, setPassword, makePassword: tokens.make } as const
})

export class OperatorAccounts extends Context.Service<OperatorAccounts, Effect.Success<typeof make>>()(
  "forum/domain/OperatorAccounts"
) {
  static readonly layer = Layer.effect(OperatorAccounts, make).pipe(
    Layer.provide(Layer.merge(PasswordHashing.layer, Sessions.layer))
  )
}
