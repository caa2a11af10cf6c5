/** What operations decide about who may call them. */
import { Result } from "effect"
import { SqlClient } from "effect/sql"
import { type Access, decideAccountAccess, decideGuestAccess } from "../../src/domain/shared/Access.ts"
import type { Actor } from "../../src/domain/shared/Actor.ts"
import type { Permission } from "../../src/domain/shared/Permission.ts"

/** Why an actor may not call an operation of this access, or nothing. */
export const refusalOf = (access: Access, actor: Actor) =>
  Result.match(
    access._tag === "Public" || access._tag === "Reader"
      ? decideGuestAccess(access, actor)
      : decideAccountAccess(access, actor),
    { onSuccess: () => undefined, onFailure: (refusal) => refusal }
  )

const refusals = [
  "unauthenticated",
  "forbidden",
  "account-suspended",
  "cookie-required",
  "access-token-refused",
  "access-token-required"
] as const

export type Verdict = "allowed" | (typeof refusals)[number]

/** What the access check decided. A request that it allows usually fails later, as it is junk. */
export const verdictOf = (status: number, type: unknown): Verdict => {
  const refusal = refusals.find((name) => type === `/api/problems/${name}`)
  return (status === 401 || status === 403) && refusal !== undefined ? refusal : "allowed"
}

/** Leaves everybody without permissions, except from roles of their own. */
export const emptyBuiltInRoles = SqlClient.SqlClient.use(
  (sql) => sql`update roles set permissions = '{}' where name in ('Member', 'Guest')`
)

/** Any of which an operation requires. */
export const permissionsOf = (access: Access): ReadonlyArray<Permission> =>
  "permission" in access
    ? [access.permission, ...(access.alternative === undefined ? [] : [access.alternative])]
    : []

/** What an operation requires beside any of these. */
export const alsoOf = (access: Access): ReadonlyArray<Permission> =>
  "also" in access && access.also !== undefined ? [access.also] : []

/** All permissions that an operation names. */
export const requiredBy = (access: Access): ReadonlyArray<Permission> => [
  ...permissionsOf(access),
  ...alsoOf(access)
]
