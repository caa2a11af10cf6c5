/** Every role as profiles show it: there are few, and most pages need the same ones. */
import { Effect } from "effect"
import type { JsonObject } from "../../domain/field/Json.ts"
import { type AccountRoleRef, builtIn } from "../../domain/role/Role.ts"
import type { RoleId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all } from "../shared/Query.ts"
import { metaOf } from "./RoleRows.ts"

interface RoleRow {
  readonly id: RoleId
  readonly name: string
  readonly colour: string
  readonly meta: JsonObject
  readonly built_in: boolean
}

/** A role that is assigned to an account besides those that all accounts or all administrators have. */
export interface Assignment {
  readonly roleId: RoleId
  readonly badge: boolean
}

/** Answers the roles of an account, highest first. */
export type RolesOf<Role = AccountRoleRef> = (
  admin: boolean,
  assigned: ReadonlyArray<Assignment>
) => ReadonlyArray<Role>

/** Makes a function that picks the roles of an account out of all roles; both are highest first. */
export const makeRolesOf = <Role extends { readonly id: RoleId; readonly badge: boolean }>(
  roles: ReadonlyArray<Role>
): RolesOf<Role> => {
  // Nearly everyone holds one of these two lists, which are therefore made once.
  const members = roles.filter(({ id }) => id === builtIn.member)
  const administrators = roles.filter(({ id }) => id === builtIn.member || id === builtIn.admin)
  return (admin, assigned) => {
    const usual = admin ? administrators : members
    if (assigned.length === 0) return usual
    const badges = new Map(assigned.map(({ badge, roleId }) => [roleId, badge]))
    return roles
      .filter((role) => usual.includes(role) || badges.has(role.id))
      .map((role) => ({ ...role, badge: badges.get(role.id) === true }))
  }
}

const rolesOf = (rows: ReadonlyArray<RoleRow>): RolesOf =>
  makeRolesOf(
    rows.map(({ built_in, meta, ...role }) => ({ ...role, ...metaOf(meta), badge: false, default: built_in }))
  )

/** Reads the catalogue as it is now. */
export const makeRoleCatalogue = Effect.map(QuickReads, (sql) =>
  Effect.map(
    all(sql<RoleRow>`select id, name, colour, meta, built_in from roles order by rank desc`),
    rolesOf
  )
)
