/** What a caller may do with roles, and what becomes of them. Pure. */
import { Result } from "effect"
import type { JsonObject } from "../field/Json.ts"
import { type AccountActor, Forbidden, holds } from "../shared/Actor.ts"
import type { AccountId, RoleId } from "../shared/Id.ts"
import type { Permission } from "../shared/Permission.ts"
import * as BuiltInRoles from "./BuiltInRoles.ts"
import { builtIn, type NewRole, type Role, type RoleChanges, rolesMax } from "./Role.ts"
import {
  AdminPermissionsFixed,
  GuestPermissionsLimited,
  OwnAdminRole,
  RoleNotAssignable,
  RoleNotChanged,
  RoleOrderInvalid,
  RolesFull
} from "./RoleRefusal.ts"

/** All roles, highest first, and the caller as it is while nobody else changes them. */
export interface RolesState {
  readonly actor: AccountActor
  readonly roles: ReadonlyArray<Role>
}

/** What a role is, whoever holds it. */
export interface RoleValues {
  readonly name: string
  readonly colour: string
  readonly permissions: ReadonlyArray<Permission>
  readonly meta: JsonObject
}

/** What guests can be allowed. */
const guestPermissions: ReadonlySet<Permission> = new Set(BuiltInRoles.guest.permissions)

const builtInValues: ReadonlyMap<string, RoleValues> = new Map([
  [builtIn.admin, { ...BuiltInRoles.admin, meta: {} }],
  [builtIn.member, { ...BuiltInRoles.member, meta: {} }],
  [builtIn.guest, { ...BuiltInRoles.guest, meta: {} }]
])

const isCustom = (role: Role) => !role.default

const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

const added = (
  before: ReadonlyArray<Permission>,
  after: ReadonlyArray<Permission>
): ReadonlyArray<Permission> => after.filter((permission) => !before.includes(permission))

/**
 * What the caller may do when it is its turn: what it could do when the request came in, as far as its account may
 * still do it. A turn adds nothing that the credential of the request did not carry.
 */
export const heldThroughout = (
  before: AccountActor,
  now: ReadonlySet<Permission>
): ReadonlySet<Permission> => {
  const left = { ...before, permissions: now }
  return new Set([...before.permissions, ...now].filter((one) => holds(before, one) && holds(left, one)))
}

/**
 * Fails unless the caller holds MANAGE_ROLES, and everything that the change of roles gives to anybody: otherwise it
 * would be a way to all other permissions. Roles of administrators are changed and assigned by administrators.
 */
const checkAuthority = (
  actor: AccountActor,
  role: Role | undefined,
  given: ReadonlyArray<Permission>
): Result.Result<void, Forbidden> => {
  const ofRole = role?.permissions.includes("ADMINISTRATOR") === true ? (["ADMINISTRATOR"] as const) : []
  const needed: ReadonlyArray<Permission> = ["MANAGE_ROLES", ...ofRole, ...given]
  const missing = needed.find((permission) => !holds(actor, permission))
  return missing === undefined
    ? Result.void
    : Result.fail(new Forbidden({ metadata: { permission: missing } }))
}

/** The new role, if there may be another one. */
export const decideCreation = (
  { actor, roles }: RolesState,
  { colour, meta = {}, name, permissions }: NewRole
): Result.Result<RoleValues, Forbidden | RolesFull> => {
  const values = { name, colour, permissions: distinct(permissions), meta }
  const authority = checkAuthority(actor, undefined, values.permissions)
  if (Result.isFailure(authority)) return Result.fail(authority.failure)
  return roles.filter(isCustom).length >= rolesMax
    ? Result.fail(new RolesFull({ metadata: { maximum: rolesMax } }))
    : Result.succeed(values)
}

const limitOf = (
  role: Role,
  permissions: ReadonlyArray<Permission> | undefined
): AdminPermissionsFixed | GuestPermissionsLimited | undefined => {
  if (permissions === undefined) return undefined
  if (role.id === builtIn.admin) return new AdminPermissionsFixed()
  if (role.id !== builtIn.guest) return undefined
  const refused = permissions.filter((permission) => !guestPermissions.has(permission))
  return refused.length === 0
    ? undefined
    : new GuestPermissionsLimited({ metadata: { permissions: distinct(refused) } })
}

/** The role after the change. */
export const decideChange = (
  actor: AccountActor,
  role: Role,
  changes: RoleChanges
): Result.Result<RoleValues, Forbidden | AdminPermissionsFixed | GuestPermissionsLimited> => {
  const limit = limitOf(role, changes.permissions)
  if (limit !== undefined) return Result.fail(limit)
  const permissions = distinct(changes.permissions ?? role.permissions)
  const authority = checkAuthority(actor, role, added(role.permissions, permissions))
  if (Result.isFailure(authority)) return Result.fail(authority.failure)
  const { colour = role.colour, meta = role.meta ?? {}, name = role.name } = changes
  return Result.succeed({ name, colour, permissions, meta })
}

/** What a built-in role becomes again, or nothing for a role that can be deleted. */
export const decideRemoval = (
  actor: AccountActor,
  role: Role
): Result.Result<RoleValues | undefined, Forbidden | RoleNotChanged> => {
  const values = builtInValues.get(role.id)
  const authority = checkAuthority(actor, role, added(role.permissions, values?.permissions ?? []))
  if (Result.isFailure(authority)) return Result.fail(authority.failure)
  // Whatever changes a role moves the time.
  return values !== undefined && role.updatedAt === role.createdAt
    ? Result.fail(new RoleNotChanged({ metadata: { role_id: role.id } }))
    : Result.succeed(values)
}

const invalid = (rule: RoleOrderInvalid["metadata"]["rule"], role_id: string) =>
  Result.fail(new RoleOrderInvalid({ metadata: { rule, role_id } }))

/** Whether these are all custom roles, each of them once. */
export const decideOrder = (
  { actor, roles }: RolesState,
  ids: ReadonlyArray<RoleId>
): Result.Result<void, Forbidden | RoleOrderInvalid> => {
  const authority = checkAuthority(actor, undefined, [])
  if (Result.isFailure(authority)) return authority
  const left = new Set(roles.filter(isCustom).map(({ id }) => id))
  for (const id of ids) {
    const role = roles.find((one) => one.id === id)
    if (role === undefined) return invalid("unknown", id)
    if (role.default) return invalid("built-in", id)
    if (!left.delete(id)) return invalid("duplicate", id)
  }
  const [missing] = left
  return missing === undefined ? Result.void : invalid("missing", missing)
}

/** Whether the caller may give the account the role, or take it away. */
export const decideAssignment = (
  { actor, roles }: RolesState,
  {
    account,
    gives,
    roleId
  }: { readonly account: AccountId; readonly roleId: RoleId; readonly gives: boolean }
): Result.Result<Role | undefined, Forbidden | RoleNotAssignable | OwnAdminRole> => {
  if (roleId === builtIn.member || roleId === builtIn.guest) {
    return Result.fail(new RoleNotAssignable({ metadata: { role_id: roleId } }))
  }
  if (roleId === builtIn.admin && account === actor.accountId) return Result.fail(new OwnAdminRole())
  const role = roles.find(({ id }) => id === roleId)
  const authority = checkAuthority(actor, role, gives ? (role?.permissions ?? []) : [])
  return Result.isFailure(authority) ? Result.fail(authority.failure) : Result.succeed(role)
}
