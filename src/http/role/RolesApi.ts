import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Role, RoleNotFound } from "../../domain/role/Role.ts"
import { Authentication, anyone } from "../shared/Authentication.ts"
import { operation } from "../shared/Operation.ts"

const RoleListResult = Schema.Struct({ roles: Schema.Array(Role) }).annotate({
  identifier: "RoleListResult",
  description: "Every role, highest first"
})

export class RolesApi extends HttpApiGroup.make("roles")
  .add(
    HttpApiEndpoint.get("list", "/", { success: RoleListResult })
      .annotateMerge(
        operation("RoleList", "List the roles", "Highest first: Admin, then custom roles, Member, Guest.")
      )
      .annotateMerge(anyone),
    HttpApiEndpoint.get("get", "/:role_id", {
      params: { role_id: Schema.String.annotate({ description: "The role's id" }) },
      success: Role,
      error: RoleNotFound
    })
      .annotateMerge(operation("RoleGet", "Read a role", "Built-in or custom, with everything it allows."))
      .annotateMerge(anyone)
  )
  .prefix("/roles")
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "roles", description: "Named sets of permissions" })) {}
