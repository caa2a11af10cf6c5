import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Role, RoleNotFound } from "../../domain/role/Role.ts"
import { everyone } from "../shared/Access.ts"
import { operation } from "../shared/Operation.ts"

const RoleListResult = Schema.Struct({ roles: Schema.Array(Role) }).annotate({
  identifier: "RoleListResult",
  description: "Every role, highest first"
})

export class RolesApi extends HttpApiGroup.make("roles")
  .add(
    HttpApiEndpoint.get("list", "/", { success: RoleListResult }).pipe(
      operation({
        id: "RoleList",
        summary: "List the roles",
        description: "Highest first: Admin, then custom roles, Member, Guest.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("get", "/:role_id", {
      params: { role_id: Schema.String.annotate({ description: "The role's id" }) },
      success: Role,
      error: RoleNotFound
    }).pipe(
      operation({
        id: "RoleGet",
        summary: "Read a role",
        description: "Built-in or custom, with everything it allows.",
        access: everyone
      })
    )
  )
  .prefix("/roles")
  .annotateMerge(OpenApi.annotations({ title: "roles", description: "Named sets of permissions" })) {}
