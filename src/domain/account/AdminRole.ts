/** The role that administrators hold by a flag of their account. The roles must be locked. */
import { Effect } from "effect"
import type { NewEvent } from "../event/EventLog.ts"
import { builtIn } from "../role/Role.ts"
import { LastAdministrator } from "../role/RoleRefusal.ts"
import { decideAssignment, type RolesState } from "../role/RoleRules.ts"
import type { AccountId } from "../shared/Id.ts"
import type { Account } from "./Account.ts"
import { AccountStore } from "./AccountStore.ts"

export const makeAdminRole = Effect.map(AccountStore, (accounts) => {
  /** Answers whether the account was no administrator before. */
  const give = (account: AccountId) => accounts.setAdmin(account, true)

  /** Fails unless there is an administrator who is not suspended. */
  const checkRemains = Effect.flatMap(accounts.hasAdministrator, (has) =>
    has ? Effect.void : Effect.fail(new LastAdministrator())
  )

  /** Answers whether it was one; the last one stays. */
  const take = Effect.fnUntraced(function* (account: AccountId) {
    const taken = yield* accounts.setAdmin(account, false)
    if (taken) yield* checkRemains
    return taken
  })

  /** Makes the account an administrator, or no longer one, unless it is so. Answers what that is in the event log. */
  const set = Effect.fnUntraced(function* (
    state: RolesState,
    { admin: before, id }: Account,
    admin: boolean | undefined
  ) {
    const none: ReadonlyArray<NewEvent> = []
    if (admin === undefined || admin === before) return none
    yield* Effect.fromResult(
      decideAssignment(state, { account: id, roleId: builtIn.admin, gives: admin })
    ).pipe(
      // Neither Member nor Guest.
      Effect.catchTag("RoleNotAssignable", Effect.die)
    )
    yield* admin ? give(id) : take(id)
    const _tag = admin ? "RoleAssigned" : "RoleUnassigned"
    return [{ _tag, id: builtIn.admin, account_id: id }] satisfies ReadonlyArray<NewEvent>
  })

  return { give, take, set, checkRemains } as const
})
