import { Schema } from "effect"
import { withExample } from "../shared/Example.ts"
import { RoleId } from "../shared/Id.ts"
import { JsonObject } from "../shared/Json.ts"
import { Permission } from "../shared/Permission.ts"
import { Problem } from "../shared/Problem.ts"
import { resourceFields } from "../shared/Resource.ts"
import { memberRole } from "./RoleExamples.ts"

/** The built-in roles: every account holds Member, administrators hold Admin, and callers without an account act as Guest. */
export const builtIn = {
  admin: RoleId.make("00000000000000000020"),
  member: RoleId.make("00000000000000000010"),
  guest: RoleId.make("0000000000000000000g")
}

const holding = {
  badge: Schema.Boolean.annotate({
    description: "Whether the account that holds the role shows it as its badge; false where nobody holds it"
  }),
  default: Schema.Boolean.annotate({ description: "Whether the role is built in" })
}

const roleFields = {
  id: RoleId,
  ...resourceFields,
  name: Schema.String.annotate({ description: "The unique name" }),
  colour: Schema.String.annotate({ description: "Any CSS colour, or empty" }),
  permissions: Schema.Array(Permission).annotate({ description: "What holders may do" }),
  meta: JsonObject,
  ...holding
}

/** A named set of permissions. */
export const Role = Schema.Struct(roleFields)
  .annotate({
    identifier: "Role",
    description: "A named set of permissions"
  })
  .pipe(withExample(memberRole))
export interface Role extends Schema.Schema.Type<typeof Role> {}

/** A role that an account holds. */
export const AccountRole = Schema.Struct(roleFields).annotate({
  identifier: "AccountRole",
  description: "A role that an account holds"
})
export interface AccountRole extends Schema.Schema.Type<typeof AccountRole> {}

/** A role as it is shown beside the name of an account that holds it. */
export const AccountRoleRef = Schema.Struct({
  id: RoleId,
  name: Schema.String,
  colour: Schema.String,
  meta: JsonObject,
  ...holding
}).annotate({
  identifier: "AccountRoleRef",
  description: "A role as it is shown beside the name of an account that holds it"
})
export interface AccountRoleRef extends Schema.Schema.Type<typeof AccountRoleRef> {}

export class RoleNotFound extends Problem<RoleNotFound>()("RoleNotFound", {
  status: 404,
  title: "There is no such role",
  explanation: "No role has the id in the path.",
  metadata: { role_id: Schema.String }
}) {}
