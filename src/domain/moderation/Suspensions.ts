/** Suspending accounts and reinstating them (identity contract 4.3, 14.3). */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type Account, AccountNotFound } from "../account/Account.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { checkStaffTarget } from "../account/StaffTarget.ts"
import { EventLog } from "../event/EventLog.ts"
import { LastAdministrator } from "../role/RoleRefusal.ts"
import { makeRolesTurn } from "../role/RolesTurn.ts"
import { CurrentAccount, checkPermission } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { Transaction } from "../shared/Transaction.ts"
import { SuspensionOfSelf } from "./Suspension.ts"

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const events = yield* EventLog
  const transaction = yield* Transaction
  const inRolesTurn = yield* makeRolesTurn

  const notFound = (mark: string) => new AccountNotFound({ metadata: { account: mark } })

  const getId = Effect.fnUntraced(function* (mark: string) {
    const id = yield* accounts.findIdByHandleOrId(mark)
    return Option.isSome(id) ? id.value : yield* notFound(mark)
  })

  const get = Effect.fnUntraced(function* (id: AccountId) {
    const found = yield* accounts.find(id)
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

  /**
   * Suspends an account that the caller may suspend, or reinstates it, and does what is left to do then. Decided once
   * nobody else changes who is an administrator or suspended: the caller or the account may have become that meanwhile.
   */
  const change = Effect.fnUntraced(function* <E, R>(
    id: AccountId,
    suspended: boolean,
    after: (target: Account) => Effect.Effect<void, E, R>
  ) {
    yield* inRolesTurn(
      Effect.fnUntraced(function* ({ actor }) {
        yield* checkPermission(actor, "MANAGE_SUSPENSIONS")
        const target = yield* get(id)
        yield* checkStaffTarget(actor, target)
        yield* write(actor.accountId, id, suspended)
        yield* after(target)
      })
    )
    return yield* get(id)
  })

  const checkAdministrator = Effect.fnUntraced(function* ({ admin }: Account) {
    if (admin && !(yield* accounts.hasAdministrator)) return yield* new LastAdministrator()
  })

  /** Holds from the next request of the account on, whatever its credential. Answers the account. */
  const suspend = Effect.fn("Suspensions.suspend")(function* (mark: string) {
    const { accountId } = yield* CurrentAccount
    const id = yield* getId(mark)
    if (id === accountId) return yield* new SuspensionOfSelf()
    return yield* change(id, true, checkAdministrator)
  })

  const reinstate = Effect.fn("Suspensions.reinstate")(function* (mark: string) {
    return yield* change(yield* getId(mark), false, () => Effect.void)
  })

  /** The same for whoever runs the service, who has no account, and whom nobody is protected from. */
  const byOperator = Effect.fn("Suspensions.byOperator")(function* (mark: string, suspended: boolean) {
    const id = yield* getId(mark)
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
