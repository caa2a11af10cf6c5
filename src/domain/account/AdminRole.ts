/** The role that administrators hold by a flag of their account. The roles must be locked. */
import { Effect } from "effect"
import { LastAdministrator } from "../role/RoleRefusal.ts"
import type { AccountId } from "../shared/Id.ts"
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

  return { give, take, checkRemains } as const
})
