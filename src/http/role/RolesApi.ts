import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Role, RoleNotFound } from "../../domain/role/Role.ts"
import { adminRole, guestRole, memberRole } from "../../domain/role/RoleExamples.ts"
import { withExample } from "../../domain/shared/Example.ts"
import * as Text from "../../domain/shared/Text.ts"
import { everyone } from "../shared/Access.ts"
import { operation } from "../shared/Operation.ts"

const RoleListResult = Schema.Struct({ roles: Schema.Array(Role) })
  .annotate({ identifier: "RoleListResult", description: "All roles, highest first" })
  .pipe(withExample({ roles: [adminRole, memberRole, guestRole] }))

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
      params: { role_id: Text.mark({ description: "The id of the role" }) },
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
    )
  )
  .prefix("/roles")
  .annotateMerge(OpenApi.annotations({ title: "roles", description: "Named sets of permissions" })) {}
