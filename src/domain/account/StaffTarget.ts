/** The account that staff act on. */
import { Effect, Option } from "effect"
import { AdministratorProtected } from "../moderation/Suspension.ts"
import { type AccountActor, CurrentAccount, holds } from "../shared/Actor.ts"
import type { AccountId } from "../shared/Id.ts"
import { type Account, AccountNotFound } from "./Account.ts"
import { isAdministrator } from "./AccountRules.ts"
import { AccountStore } from "./AccountStore.ts"

/** Only administrators act on administrators, or the permission would make one of anybody. */
export const checkStaffTarget = (
  actor: AccountActor,
  target: Account
): Effect.Effect<void, AdministratorProtected> =>
  isAdministrator(target) && !holds(actor, "ADMINISTRATOR")
    ? Effect.fail(new AdministratorProtected())
    : Effect.void

/** Finds the account with an id, on which the caller may act. */
export const makeStaffTarget = Effect.map(AccountStore, (accounts) =>
  Effect.fnUntraced(function* (id: AccountId) {
    const actor = yield* CurrentAccount
    const found = yield* accounts.find(id)
    if (Option.isNone(found)) return yield* new AccountNotFound({ metadata: { account: id } })
    yield* checkStaffTarget(actor, found.value)
    return found.value
  })
)
