import type { ProfileReference } from "../../domain/account/Profile.ts"
import type { AccountId } from "../../domain/shared/Id.ts"
import { type AssignedRoles, assignedRoles, heldRoles, type RoleCatalogue } from "../role/RoleRows.ts"
import type { Columns } from "../shared/Columns.ts"
import { shown } from "../shared/Rows.ts"

/** What a profile reference is made of. */
export interface ProfileRow {
  readonly profile_id: AccountId
  readonly profile_handle: string
  readonly profile_name: string
  readonly profile_created_at: Date | string
  readonly profile_suspended_at: Date | string | null
  readonly profile_signature: string | null
  readonly profile_admin: boolean
  readonly profile_roles: AssignedRoles
}

/** Those columns of the `accounts` table known as `alias`. */
export const profileColumns = (alias: string): Columns<ProfileRow> => ({
  profile_id: `${alias}.id`,
  profile_handle: `${alias}.handle`,
  profile_name: `${alias}.name`,
  profile_created_at: `${alias}.created_at`,
  profile_suspended_at: `${alias}.suspended_at`,
  profile_signature: `${alias}.signature`,
  profile_admin: `${alias}.admin`,
  profile_roles: assignedRoles(alias)
})

export const profileOf = (row: ProfileRow, catalogue: RoleCatalogue): ProfileReference => ({
  id: row.profile_id,
  joined: shown(row.profile_created_at),
  ...(row.profile_suspended_at === null ? {} : { suspended: shown(row.profile_suspended_at) }),
  handle: row.profile_handle,
  name: row.profile_name,
  ...(row.profile_signature === null ? {} : { signature: row.profile_signature }),
  roles: heldRoles(catalogue, row.profile_admin, row.profile_roles)
})
