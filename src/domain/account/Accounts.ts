/** What people may do with accounts. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { EventLog } from "../event/EventLog.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { CurrentAccount, CurrentActor, Forbidden, holds, Unauthenticated } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { type Account, type AccountChanges, AccountNotFound, AdministratorHidden } from "./Account.ts"
import { makeAccountEdits } from "./AccountEdits.ts"
import { isAdministrator } from "./AccountRules.ts"
import { AccountStore } from "./AccountStore.ts"

const make = Effect.gen(function* () {
  const store = yield* AccountStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const edits = yield* makeAccountEdits

  const get = Effect.fnUntraced(function* (id: AccountId) {
    const found = yield* store.find(id)
    if (Option.isNone(found)) return yield* new AccountNotFound({ metadata: { account: id } })
    return found.value
  })

  /** An account that vanished after the request was identified has no session either. */
  const getOwn = (id: AccountId) => Effect.mapError(get(id), () => new Unauthenticated())

  /** The caller's own account. */
  const own = Effect.fn("Accounts.own")(function* () {
    const { accountId } = yield* CurrentAccount
    return yield* getOwn(accountId)
  })

  /** The caller's account if there is a caller. */
  const findOwn = Effect.fn("Accounts.findOwn")(function* () {
    const actor = yield* CurrentActor
    return actor._tag === "Guest" ? Option.none<Account>() : yield* store.find(actor.accountId)
  })

  /**
   * Another's account: one's own always, any with ADMINISTRATOR, with
   * VIEW_ACCOUNTS those that are not administrators.
   */
  const view = Effect.fn("Accounts.view")(function* (id: AccountId) {
    const actor = yield* CurrentAccount
    const account = yield* get(id)
    if (account.id === actor.accountId || actor.permissions.has("ADMINISTRATOR")) return account
    if (!holds(actor, "VIEW_ACCOUNTS")) {
      return yield* new Forbidden({ metadata: { permission: "VIEW_ACCOUNTS" } })
    }
    if (isAdministrator(account)) return yield* new AdministratorHidden()
    return account
  })

  const updateOwn = Effect.fn("Accounts.updateOwn")(function* (input: AccountChanges) {
    const { accountId } = yield* CurrentAccount
    const current = Effect.map(getOwn(accountId), ({ handle }) => handle)
    const changes = yield* edits.decide(input, current)
    if (Object.keys(changes).length === 0) return yield* getOwn(accountId)
    const at = yield* DateTime.now
    yield* transaction(
      Effect.andThen(
        store.update(accountId, changes, at),
        events.append(accountId, { _tag: "AccountUpdated", id: accountId })
      )
    )
    return yield* getOwn(accountId)
  })

  return { own, findOwn, view, updateOwn } as const
})

export class Accounts extends Context.Service<Accounts, Effect.Success<typeof make>>()(
  "forum/domain/Accounts"
) {
  static readonly layer = Layer.effect(Accounts, make).pipe(Layer.provide(InstanceSettings.layer))
}
