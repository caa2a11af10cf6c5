import { type AccountRoleRef, builtIn, type Role } from "../../domain/role/Role.ts"
import type { RoleId } from "../../domain/shared/Id.ts"
import { type JsonObject, misc } from "../../domain/shared/Json.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import { shown } from "../shared/Rows.ts"

export interface RoleRow {
  readonly id: RoleId
  readonly created_at: Date
  readonly updated_at: Date
  readonly name: string
  readonly colour: string
  readonly permissions: ReadonlyArray<Permission>
  readonly meta: JsonObject
}

export const roleColumns = "r.id, r.created_at, r.updated_at, r.name, r.colour, r.permissions, r.meta"

export const roleOf = (row: RoleRow): Role => ({
  id: row.id,
  createdAt: shown(row.created_at),
  updatedAt: shown(row.updated_at),
  misc,
  name: row.name,
  colour: row.colour,
  permissions: row.permissions,
  meta: row.meta
})

/** What a profile shows of every role, highest first; one such array serves a whole answer. */
export type RoleCatalogue = ReadonlyArray<{
  readonly id: RoleId
  readonly name: string
  readonly colour: string
  readonly meta: JsonObject
  readonly default: boolean
}>

/** An expression for the catalogue, to be selected once in a statement. */
export const roleCatalogue = `(select json_agg(json_build_object('id', r.id, 'name', r.name, 'colour', r.colour,
  'meta', r.meta, 'default', r.built_in) order by r.rank desc) from roles r)`

/** What is assigned to an account; null if nothing is. */
export type AssignedRoles = ReadonlyArray<{ readonly id: RoleId; readonly badge: boolean }> | null

/** An expression for what is assigned to the account in the `accounts` table known as `alias`. */
export const assignedRoles = (alias: string) =>
  `(select json_agg(json_build_object('id', role_id, 'badge', badge)) from account_roles where account_id = ${alias}.id)`

/** The roles an account holds: Admin if it is one, those assigned, Member. */
export const heldRoles = (
  catalogue: RoleCatalogue,
  admin: boolean,
  assigned: AssignedRoles
): ReadonlyArray<AccountRoleRef> =>
  catalogue.flatMap((role) => {
    const holding = assigned?.find(({ id }) => id === role.id)
    const isHeld = holding !== undefined || role.id === builtIn.member || (admin && role.id === builtIn.admin)
    return isHeld ? { ...role, badge: holding?.badge === true } : []
  })
