import { type AccountRoleRef, builtIn, type Role } from "../../domain/role/Role.ts"
import { RoleId } from "../../domain/shared/Id.ts"
import { type JsonObject, misc } from "../../domain/shared/Json.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import { utc } from "../shared/Rows.ts"

export interface RoleRow {
  readonly id: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly name: string
  readonly colour: string
  readonly permissions: ReadonlyArray<Permission>
  readonly meta: JsonObject
}

export const roleColumns = "r.id, r.created_at, r.updated_at, r.name, r.colour, r.permissions, r.meta"

export const roleOf = (row: RoleRow): Role => ({
  id: RoleId.make(row.id),
  createdAt: utc(row.created_at),
  updatedAt: utc(row.updated_at),
  misc,
  name: row.name,
  colour: row.colour,
  permissions: row.permissions,
  meta: row.meta
})

/** What a profile shows of every role, highest first; one such array serves a whole answer. */
export type RoleCatalogue = ReadonlyArray<{
  readonly id: string
  readonly name: string
  readonly colour: string
  readonly meta: JsonObject
  readonly default: boolean
}>

/** An expression for the catalogue, to be selected once in a statement. */
export const roleCatalogue = `(select json_agg(json_build_object('id', r.id, 'name', r.name, 'colour', r.colour,
  'meta', r.meta, 'default', r.built_in) order by r.rank desc) from roles r)`

/** The roles an account holds: Admin if it is one, those assigned, Member. */
export const heldRoles = (
  catalogue: RoleCatalogue,
  holder: { readonly admin: boolean; readonly roles: ReadonlyArray<string>; readonly badge: string | null }
): ReadonlyArray<AccountRoleRef> =>
  catalogue
    .filter(
      ({ id }) => id === builtIn.member || (holder.admin && id === builtIn.admin) || holder.roles.includes(id)
    )
    .map((role) => ({
      id: RoleId.make(role.id),
      name: role.name,
      colour: role.colour,
      meta: role.meta,
      badge: role.id === holder.badge,
      default: role.default
    }))
