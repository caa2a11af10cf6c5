/** What the role rules need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId, RoleId } from "../shared/Id.ts"
import type { Permission } from "../shared/Permission.ts"
import type { Role } from "./Role.ts"
import type { RoleNameTaken, TooManyRolesHeld } from "./RoleRefusal.ts"
import type { RoleValues } from "./RoleRules.ts"

export interface RoleInsert extends RoleValues {
  readonly id: RoleId
  readonly at: DateTime.Utc
}

/** What is locked: all roles, highest first, and what the account that asks may do. */
export interface LockedRoles {
  readonly roles: ReadonlyArray<Role>
  readonly permissions: ReadonlySet<Permission>
}

export class RoleStore extends Context.Service<
  RoleStore,
  {
    /** All roles, highest first: Admin, those an administrator made, Member, Guest. */
    readonly list: Effect.Effect<ReadonlyArray<Role>>
    readonly find: (id: RoleId) => Effect.Effect<Option.Option<Role>>
    /**
     * Keeps others from changing roles, and from assigning them, until the transaction ends. A suspended account
     * has no permissions.
     */
    readonly lock: (actor: AccountId) => Effect.Effect<LockedRoles>
    /** Adds a role above all other custom roles. This and all that follow but `setBadge` need the roles locked. */
    readonly insert: (role: RoleInsert) => Effect.Effect<Role, RoleNameTaken>
    readonly update: (id: RoleId, values: RoleValues, at: DateTime.Utc) => Effect.Effect<Role, RoleNameTaken>
    /** Makes a built-in role what it was at first, unchanged since then. */
    readonly reset: (id: RoleId, values: RoleValues) => Effect.Effect<void, RoleNameTaken>
    /** Puts the custom roles in this order, highest first. */
    readonly arrange: (ids: ReadonlyArray<RoleId>) => Effect.Effect<void>
    /** Deletes a custom role, which nobody holds any more. */
    readonly delete: (id: RoleId) => Effect.Effect<void>
    /** Answers whether the account did not hold the role. */
    readonly assign: (account: AccountId, role: RoleId) => Effect.Effect<boolean, TooManyRolesHeld>
    /** Answers whether the account held the role. */
    readonly unassign: (account: AccountId, role: RoleId) => Effect.Effect<boolean>
    /**
     * Makes a role the account's badge in place of another; none, or one that is not assigned to it, takes the
     * badge away. Answers whether anything changed.
     */
    readonly setBadge: (account: AccountId, role: RoleId | undefined) => Effect.Effect<boolean>
  }
>()("forum/domain/RoleStore") {}
