/** The account that staff act on. */
import { Effect } from "effect"
import { type AccountActor, holds } from "../shared/Actor.ts"
import type { Account } from "./Account.ts"
import { isAdministrator } from "./AccountRules.ts"
import { AdministratorProtected } from "./AdministratorProtected.ts"

/** Only administrators act on administrators, or the permission would make one of anybody. */
export const checkStaffTarget = (
  actor: AccountActor,
  target: Account
): Effect.Effect<void, AdministratorProtected> =>
  isAdministrator(target) && !holds(actor, "ADMINISTRATOR")
    ? Effect.fail(new AdministratorProtected())
    : Effect.void
