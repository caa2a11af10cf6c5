/** What staff may do with warnings of accounts that they may see, and accounts with their own. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Accounts } from "../account/Accounts.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount, checkPermission } from "../shared/Actor.ts"
import { type AccountId, WarningId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { Transaction } from "../storage/Transaction.ts"
import { checkNotOwn, WarningNotFound } from "./Warning.ts"
import { WarningStore } from "./WarningStore.ts"

const make = Effect.gen(function* () {
  const store = yield* WarningStore
  const accounts = yield* Accounts
  const events = yield* EventLog
  const transaction = yield* Transaction
  const ids = yield* Ids

  const notFound = (id: string) => new WarningNotFound({ metadata: { warning_id: id } })

  /** Checks the account of a warning that the caller gives, changes or takes back: it is never their own. */
  const checkTarget = (account: AccountId) => Effect.andThen(accounts.view(account), checkNotOwn(account))

  /** Answers the warnings of an account. Everyone reads their own. */
  const list = Effect.fn("Warnings.list")(function* (account: AccountId) {
    const actor = yield* CurrentAccount
    yield* accounts.view(account)
    if (account !== actor.accountId) yield* checkPermission(actor, "MANAGE_WARNINGS")
    const warnings = yield* store.list(account)
    return { warnings, total: warnings.length }
  })

  const get = Effect.fnUntraced(function* (account: AccountId, id: string) {
    const found = yield* store.find(account, id)
    return Option.isSome(found) ? found.value : yield* notFound(id)
  })

  const create = Effect.fn("Warnings.create")(function* (account: AccountId, reason: string) {
    const { accountId: issuerId } = yield* CurrentAccount
    yield* checkTarget(account)
    const id = WarningId.make(yield* ids.next)
    const warning = { id, at: yield* DateTime.now, accountId: account, issuerId, reason }
    const writes = Effect.andThen(
      store.insert(warning),
      events.append(issuerId, {
        _tag: "AccountWarned",
        account_id: account,
        warning_id: id,
        author_id: issuerId
      })
    )
    yield* transaction(writes)
    return yield* get(account, id)
  })

  const update = Effect.fn("Warnings.update")(function* (account: AccountId, id: string, reason: string) {
    const { accountId } = yield* CurrentAccount
    yield* checkTarget(account)
    const writes = Effect.gen(function* () {
      const found = yield* store.findForUpdate(account, id)
      if (Option.isNone(found)) return yield* notFound(id)
      const { id: warning_id, issuerId = accountId, reason: previous_reason } = found.value
      if (previous_reason === reason) return
      yield* store.setReason(warning_id, reason)
      const change = { account_id: account, warning_id, author_id: issuerId, previous_reason, reason }
      yield* events.append(accountId, { _tag: "AccountWarningUpdated", ...change })
    })
    yield* transaction(writes)
    return yield* get(account, id)
  })

  const remove = Effect.fn("Warnings.remove")(function* (account: AccountId, id: string) {
    const { accountId } = yield* CurrentAccount
    yield* checkTarget(account)
    const removal = Effect.gen(function* () {
      const deleted = yield* store.delete(account, id)
      if (Option.isNone(deleted)) return yield* notFound(id)
      const { id: warning_id, issuerId = accountId } = deleted.value
      yield* events.append(accountId, {
        _tag: "AccountWarningDeleted",
        account_id: account,
        warning_id,
        author_id: issuerId
      })
    })
    yield* transaction(removal)
  })

  return { list, create, update, remove } as const
})

export class Warnings extends Context.Service<Warnings, Effect.Success<typeof make>>()(
  "forum/domain/Warnings"
) {
  static readonly layer = Layer.effect(Warnings, make).pipe(Layer.provide(Accounts.layer))
}
