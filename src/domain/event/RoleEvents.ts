/** What happens to roles and to those who hold them, for the event log. */
import { Schema } from "effect"
import { AccountId, RoleId } from "../shared/Id.ts"

export const RoleCreated = Schema.TaggedStruct("RoleCreated", { id: RoleId })
export type RoleCreated = typeof RoleCreated.Type

/** A role was changed; a built-in one may have been reset. */
export const RoleUpdated = Schema.TaggedStruct("RoleUpdated", { id: RoleId })
export type RoleUpdated = typeof RoleUpdated.Type

/** A custom role was deleted, and nobody holds it any more. */
export const RoleDeleted = Schema.TaggedStruct("RoleDeleted", { id: RoleId })
export type RoleDeleted = typeof RoleDeleted.Type

export const RolesReordered = Schema.TaggedStruct("RolesReordered", {
  /** The custom roles, highest first. */
  ids: Schema.Array(RoleId)
})
export type RolesReordered = typeof RolesReordered.Type

/** An account was given a role. With Admin it became an administrator. */
export const RoleAssigned = Schema.TaggedStruct("RoleAssigned", { id: RoleId, account_id: AccountId })
export type RoleAssigned = typeof RoleAssigned.Type

/** A role was taken from an account. */
export const RoleUnassigned = Schema.TaggedStruct("RoleUnassigned", { id: RoleId, account_id: AccountId })
export type RoleUnassigned = typeof RoleUnassigned.Type
