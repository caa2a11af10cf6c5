/** Suspending accounts and reinstating them. */

import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type Account, AccountNotFound } from "../account/Account.ts"
import { checkStaffTarget } from "../account/AccountRules.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { makeAdminRole } from "../account/AdminRole.ts"
import { EventLog } from "../event/EventLog.ts"
import { makeRoleChanges } from "../role/RoleChanges.ts"
import type { RolesState } from "../role/RoleRules.ts"
import { type AccountActor, CurrentAccount, checkPermission } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { Transaction } from "../storage/Transaction.ts"
import { SuspensionOfSelf } from "./ModerationAction.ts"

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const asRoleChange = yield* makeRoleChanges
  const adminRole = yield* makeAdminRole

  const notFound = (mark: string) => new AccountNotFound({ metadata: { account: mark } })

  const findId = Effect.fnUntraced(function* (mark: string) {
    const found = yield* accounts.findIdByHandleOrId(mark)
    return Option.isSome(found) ? found.value : yield* notFound(mark)
  })

  const get = Effect.fnUntraced(function* (id: AccountId) {
    const found: Option.Option<Account> = yield* accounts.find(id)
    return Option.isSome(found) ? found.value : yield* notFound(id)
  })

  const write = Effect.fnUntraced(function* (
    actorId: AccountId | undefined,
    id: AccountId,
    suspended: boolean
  ) {
    const at = yield* DateTime.now
    yield* accounts.setSuspension(id, suspended ? at : undefined, at)
    yield* events.append(actorId, { _tag: suspended ? "AccountSuspended" : "AccountUnsuspended", id })
  })

  /** What the caller may do with the account, once nobody else changes who is an administrator. */
  const getTarget = Effect.fnUntraced(function* (actor: AccountActor, id: AccountId) {
    yield* checkPermission(actor, "MANAGE_SUSPENSIONS")
    const target = yield* get(id)
    yield* checkStaffTarget(actor, target)
    return target
  })

  /** Holds from the next request of the account on, whatever its credential. Answers the account. */
  const suspend = Effect.fn("Suspensions.suspend")(function* (mark: string) {
    const { accountId } = yield* CurrentAccount
    const id = yield* findId(mark)
    if (id === accountId) return yield* new SuspensionOfSelf()
    const suspending = Effect.fnUntraced(function* ({ actor }: RolesState) {
      const { admin } = yield* getTarget(actor, id)
      yield* write(accountId, id, true)
      if (admin) yield* adminRole.checkRemains
    })
    yield* asRoleChange(suspending)
    return yield* get(id)
  })

  const reinstate = Effect.fn("Suspensions.reinstate")(function* (mark: string) {
    const id = yield* findId(mark)
    yield* asRoleChange(({ actor }) =>
      Effect.andThen(getTarget(actor, id), write(actor.accountId, id, false))
    )
    return yield* get(id)
  })

  /** Suspends or reinstates for whoever runs the service, who has no account, and whom nobody is protected from. */
  const byOperator = Effect.fn("Suspensions.byOperator")(function* (mark: string, suspended: boolean) {
    const id = yield* findId(mark)
    yield* transaction(write(undefined, id, suspended))
    return yield* get(id)
  })

  return { suspend, reinstate, byOperator } as const
})

export class Suspensions extends Context.Service<Suspensions, Effect.Success<typeof make>>()(
  "forum/domain/Suspensions"
) {
  static readonly layer = Layer.effect(Suspensions, make)
}
