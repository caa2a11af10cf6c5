/** The account that staff act on (identity contract 9.4). */
import { Effect, Option } from "effect"
import { AdministratorProtected } from "../moderation/Suspension.ts"
import { CurrentAccount, holds } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { AccountNotFound } from "./Account.ts"
import { isAdministrator } from "./AccountRules.ts"
import { AccountStore } from "./AccountStore.ts"

/** Finds the account with an id. Only administrators act on administrators, or the permission would make one of anybody. */
export const makeStaffTarget = Effect.map(AccountStore, (accounts) =>
  Effect.fnUntraced(function* (id: AccountId) {
    const actor = yield* CurrentAccount
    const found = yield* accounts.find(id)
    if (Option.isNone(found)) return yield* new AccountNotFound({ metadata: { account: id } })
    if (isAdministrator(found.value) && !holds(actor, "ADMINISTRATOR")) {
      return yield* new AdministratorProtected()
    }
    return found.value
  })
)
