/** Why something cannot be done with roles. */
import { Schema } from "effect"
import { Permission } from "../shared/Permission.ts"
import { Problem } from "../shared/Problem.ts"
import { heldMax, rolesMax } from "./Role.ts"

export class RoleNameTaken extends Problem<RoleNameTaken>()("RoleNameTaken", {
  status: 409,
  title: "Another role has this name",
  explanation:
    "The names of roles are unique. A built-in role that is reset takes back its first name, which another role may have by then.",
  metadata: { name: Schema.String }
}) {}

export class RolesFull extends Problem<RolesFull>()("RolesFull", {
  status: 409,
  title: "There are as many roles as there may be",
  explanation: `An instance has ${rolesMax} custom roles at most. Delete one to create another.`,
  metadata: { maximum: Schema.Int }
}) {}

export class AdminPermissionsFixed extends Problem<AdminPermissionsFixed>()("AdminPermissionsFixed", {
  status: 400,
  title: "The permissions of the Admin role cannot be changed",
  explanation:
    "The Admin role always holds ADMINISTRATOR and nothing else, so a change of it has no `permissions`. Its name, colour and `meta` can be changed."
}) {}

export class GuestPermissionsLimited extends Problem<GuestPermissionsLimited>()("GuestPermissionsLimited", {
  status: 400,
  title: "Guests cannot have these permissions",
  explanation:
    "The Guest role is what callers without an account may do. It can hold permissions to read, and no others; `permissions` names the others.",
  metadata: { permissions: Schema.Array(Permission) }
}) {}

/** Why ids are not an order of the custom roles. */
export const OrderRule = Schema.Literals(["built-in", "unknown", "duplicate", "missing"])
export type OrderRule = typeof OrderRule.Type

export class RoleOrderInvalid extends Problem<RoleOrderInvalid>()("RoleOrderInvalid", {
  status: 400,
  title: "These are not all custom roles, each of them once",
  explanation:
    "`role_ids` has every custom role exactly once. `rule` says what is wrong with the role of `role_id`: it is built in, whose place is fixed (`built-in`), there is none (`unknown`), it occurs twice (`duplicate`) or does not occur (`missing`).",
  metadata: { rule: OrderRule, role_id: Schema.String }
}) {}

export class RoleNotChanged extends Problem<RoleNotChanged>()("RoleNotChanged", {
  status: 404,
  title: "This built-in role has not been changed",
  explanation:
    "To delete a built-in role is to undo all changes of it. Nobody has changed this one since it was created or reset.",
  metadata: { role_id: Schema.String }
}) {}

export class RoleUnknown extends Problem<RoleUnknown>()("RoleUnknown", {
  status: 400,
  title: "The role does not exist",
  explanation: "No role has the id that an account should be given.",
  metadata: { role_id: Schema.String }
}) {}

export class RoleNotAssignable extends Problem<RoleNotAssignable>()("RoleNotAssignable", {
  status: 400,
  title: "This role is neither assigned nor taken away",
  explanation: "Every account holds the Member role, and only callers without an account act as Guest.",
  metadata: { role_id: Schema.String }
}) {}

export class RoleAlreadyHeld extends Problem<RoleAlreadyHeld>()("RoleAlreadyHeld", {
  status: 400,
  title: "The account already holds this role",
  explanation: "A role is assigned to an account once.",
  metadata: { role_id: Schema.String }
}) {}

export class TooManyRolesHeld extends Problem<TooManyRolesHeld>()("TooManyRolesHeld", {
  status: 409,
  title: "This account holds too many roles",
  explanation: `An account holds ${heldMax} custom roles at most. Take one away to assign another.`,
  metadata: { maximum: Schema.Int }
}) {}

export class OwnAdminRole extends Problem<OwnAdminRole>()("OwnAdminRole", {
  status: 400,
  title: "Another administrator has to do this",
  explanation: "Nobody gives themselves the Admin role, or takes it from themselves."
}) {}

export class LastAdministrator extends Problem<LastAdministrator>()("LastAdministrator", {
  status: 409,
  title: "An instance needs an administrator",
  explanation:
    "No other account that is not suspended holds the Admin role. Assign it to another account before this one loses it or is suspended."
}) {}
