/** What it takes to touch how somebody else signs in. */
import { Result } from "effect"
import { holds, type PermissionHolder } from "../shared/Actor.ts"
import type { Permission } from "../shared/Permission.ts"
import { AccountStronger } from "./AccountStronger.ts"

/** Whether a caller may touch the sign-in of an account that holds these permissions: only with all of them. */
export const decideSignInAuthority = (
  actor: PermissionHolder,
  held: Iterable<Permission>
): Result.Result<void, AccountStronger> => {
  const missing = [...held].find((permission) => !holds(actor, permission))
  return missing === undefined
    ? Result.void
    : Result.fail(new AccountStronger({ metadata: { permission: missing } }))
}
