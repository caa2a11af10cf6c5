/** What accounts are, as rules ask it. Pure. */
import { Effect, Result } from "effect"
import { type AccountActor, holds, type PermissionHolder } from "../shared/Actor.ts"
import type { Permission } from "../shared/Permission.ts"
import { type Account, AccountStronger, AdministratorProtected } from "./Account.ts"
import type { ProfileReference } from "./Profile.ts"

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

/** Whether an account holds ADMINISTRATOR through any of its roles. */
export const isAdministrator = (account: Account): boolean =>
  account.roles.some((role) => role.permissions.includes("ADMINISTRATOR"))

/** The account as it is named beside what it did. */
export const briefReferenceOf = ({
  handle,
  id,
  joined,
  name,
  roles,
  suspended
}: Account): ProfileReference => ({
  id,
  joined,
  ...(suspended === undefined ? {} : { suspended }),
  handle,
  name,
  roles: roles.map(({ badge, colour, default: builtIn, id, meta, name }) => ({
    id,
    name,
    colour,
    ...(meta === undefined ? {} : { meta }),
    badge,
    default: builtIn
  }))
})

/** Fails if only an administrator may act on this account: otherwise the permission would make one of anybody. */
export const checkStaffTarget = (
  actor: AccountActor,
  target: Account
): Effect.Effect<void, AdministratorProtected> =>
  isAdministrator(target) && !holds(actor, "ADMINISTRATOR")
    ? Effect.fail(new AdministratorProtected())
    : Effect.void
