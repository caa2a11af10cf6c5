import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { withExample } from "../../domain/field/Example.ts"
import * as Text from "../../domain/field/Text.ts"
import { NewRole, Role, RoleChanges, RoleNotFound, RoleOrder } from "../../domain/role/Role.ts"
import { adminRole, guestRole, memberRole } from "../../domain/role/RoleExamples.ts"
import {
  AdminPermissionsFixed,
  GuestPermissionsLimited,
  RoleNameTaken,
  RoleNotChanged,
  RoleOrderInvalid,
  RolesFull
} from "../../domain/role/RoleRefusal.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { everyone, membersWith } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const RoleListResult = Schema.Struct({ roles: Schema.Array(Role) })
  .annotate({ identifier: "RoleListResult", description: "All roles, highest first" })
  .pipe(withExample({ roles: [adminRole, memberRole, guestRole] }))

const params = { role_id: Text.mark({ description: "The id of the role" }) }

export class RolesApi extends HttpApiGroup.make("roles")
  .add(
    HttpApiEndpoint.get("list", "/", { success: RoleListResult }).pipe(
      operation({
        id: "RoleList",
        cost: "quick",
        summary: "List the roles",
        description: "Highest first: Admin, custom roles, Member, Guest.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("get", "/:role_id", {
      params,
      success: Role,
      error: RoleNotFound
    }).pipe(
      operation({
        id: "RoleGet",
        cost: "quick",
        summary: "Read a role",
        description: "A built-in or custom role, with its permissions.",
        access: everyone
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewRole,
      success: Role,
      error: [Forbidden, RoleNameTaken, RolesFull]
    }).pipe(
      operation({
        id: "RoleCreate",
        cost: "write",
        summary: "Create a role",
        description:
          "It stands above all other custom roles. Nobody creates a role with permissions that they do not hold.",
        access: membersWith("MANAGE_ROLES")
      })
    ),
    HttpApiEndpoint.patch("arrange", "/order", {
      payload: RoleOrder,
      success: RoleListResult,
      error: [Forbidden, RoleOrderInvalid]
    }).pipe(
      operation({
        id: "RoleUpdateOrder",
        cost: "write",
        summary: "Change the order of the roles",
        description:
          "Of all custom roles, highest first. The places of the built-in roles are fixed. Answers all roles. The order is how roles are shown; it gives no power.",
        access: membersWith("MANAGE_ROLES")
      })
    ),
    HttpApiEndpoint.patch("update", "/:role_id", {
      params,
      payload: RoleChanges,
      success: Role,
      error: [RoleNotFound, Forbidden, RoleNameTaken, AdminPermissionsFixed, GuestPermissionsLimited]
    }).pipe(
      operation({
        id: "RoleUpdate",
        cost: "write",
        summary: "Change a role",
        description:
          "What its holders may do changes with their next request. Nobody adds permissions that they do not hold, and a role with ADMINISTRATOR is changed by administrators only. The Admin role keeps its permission, and the Guest role holds permissions to read only.",
        access: membersWith("MANAGE_ROLES")
      })
    ),
    HttpApiEndpoint.delete("delete", "/:role_id", {
      params,
      success: Done,
      error: [RoleNotFound, RoleNotChanged, Forbidden, RoleNameTaken]
    }).pipe(
      operation({
        id: "RoleDelete",
        cost: "write",
        summary: "Delete a custom role, or reset a built-in one",
        description:
          "Nobody holds a custom role any more once it is deleted. A built-in role becomes what it was at first. A role with ADMINISTRATOR is deleted by administrators only.",
        access: membersWith("MANAGE_ROLES")
      })
    )
  )
  .prefix("/roles")
  .annotateMerge(OpenApi.annotations({ title: "roles", description: "Named sets of permissions" })) {}
