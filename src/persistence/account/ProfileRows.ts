import type { ProfileReference } from "../../domain/account/Profile.ts"
import { AccountId } from "../../domain/shared/Id.ts"
import { heldRoles, type RoleCatalogue } from "../role/RoleRows.ts"
import { utc } from "../shared/Rows.ts"

/** What a profile reference is made of. */
export interface ProfileRow {
  readonly profile_id: string
  readonly profile_handle: string
  readonly profile_name: string
  readonly profile_created_at: Date | string
  readonly profile_suspended_at: Date | string | null
  readonly profile_signature: string | null
  readonly profile_admin: boolean
  readonly profile_roles: ReadonlyArray<string>
  readonly profile_badge: string | null
}

/** Selects those columns from the `accounts` table known as `alias`. */
export const profileColumns = (alias: string) =>
  ["id", "handle", "name", "created_at", "suspended_at", "signature", "admin"]
    .map((column) => `${alias}.${column} as profile_${column}`)
    .concat(
      `array(select role_id from account_roles where account_id = ${alias}.id) as profile_roles`,
      `(select role_id from account_roles where account_id = ${alias}.id and badge) as profile_badge`
    )
    .join(", ")

export const profileOf = (row: ProfileRow, catalogue: RoleCatalogue): ProfileReference => ({
  id: AccountId.make(row.profile_id),
  joined: utc(row.profile_created_at),
  ...(row.profile_suspended_at === null ? {} : { suspended: utc(row.profile_suspended_at) }),
  handle: row.profile_handle,
  name: row.profile_name,
  ...(row.profile_signature === null ? {} : { signature: row.profile_signature }),
  roles: heldRoles(catalogue, {
    admin: row.profile_admin,
    roles: row.profile_roles,
    badge: row.profile_badge
  })
})
