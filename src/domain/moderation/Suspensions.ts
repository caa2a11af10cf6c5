/** Suspending accounts and reinstating them (identity contract 4.3, 14.3). */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { type Account, AccountNotFound } from "../account/Account.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { checkStaffTarget } from "../account/StaffTarget.ts"
import { EventLog } from "../event/EventLog.ts"
import { CurrentAccount } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { Transaction } from "../shared/Transaction.ts"
import { SuspensionOfSelf } from "./Suspension.ts"

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const events = yield* EventLog
  const transaction = yield* Transaction

  const notFound = (mark: string) => new AccountNotFound({ metadata: { account: mark } })

  const get = Effect.fnUntraced(function* (mark: string) {
    const id = yield* accounts.findIdByHandleOrId(mark)
    const found = Option.isSome(id) ? yield* accounts.find(id.value) : Option.none<Account>()
    return Option.isSome(found) ? found.value : yield* notFound(mark)
  })

  const change = Effect.fnUntraced(function* (
    actorId: AccountId | undefined,
    target: Account,
    suspended: boolean
  ) {
    const { id } = target
    const at = yield* DateTime.now
    const writes = Effect.andThen(
      accounts.setSuspension(id, suspended ? at : undefined, at),
      events.append(actorId, { _tag: suspended ? "AccountSuspended" : "AccountUnsuspended", id })
    )
    yield* transaction(writes)
    return yield* get(id)
  })

  /** Holds from the next request of the account on, whatever its credential. Answers the account. */
  const suspend = Effect.fn("Suspensions.suspend")(function* (mark: string) {
    const actor = yield* CurrentAccount
    const target = yield* get(mark)
    if (target.id === actor.accountId) return yield* new SuspensionOfSelf()
    yield* checkStaffTarget(actor, target)
    return yield* change(actor.accountId, target, true)
  })

  const reinstate = Effect.fn("Suspensions.reinstate")(function* (mark: string) {
    const actor = yield* CurrentAccount
    const target = yield* get(mark)
    yield* checkStaffTarget(actor, target)
    return yield* change(actor.accountId, target, false)
  })

  /** The same for whoever runs the service, who has no account, and whom nobody is protected from. */
  const byOperator = Effect.fn("Suspensions.byOperator")(function* (mark: string, suspended: boolean) {
    return yield* change(undefined, yield* get(mark), suspended)
  })

  return { suspend, reinstate, byOperator } as const
})

export class Suspensions extends Context.Service<Suspensions, Effect.Success<typeof make>>()(
  "forum/domain/Suspensions"
) {
  static readonly layer = Layer.effect(Suspensions, make)
}
