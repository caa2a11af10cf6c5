import { Schema } from "effect"
import { RoleId } from "../shared/Id.ts"
import { JsonObject } from "../shared/Json.ts"
import { Permission } from "../shared/Permission.ts"
import { Problem } from "../shared/Problem.ts"
import { resourceFields } from "../shared/Resource.ts"

/** The built-in roles (specification 2.3): every account is a Member, administrators are Admin, strangers act as Guest. */
export const builtIn = {
  admin: RoleId.make("00000000000000000020"),
  member: RoleId.make("00000000000000000010"),
  guest: RoleId.make("0000000000000000000g")
}

const roleFields = {
  id: RoleId,
  ...resourceFields,
  name: Schema.String.annotate({ description: "What it is called; unique" }),
  colour: Schema.String.annotate({ description: "Any CSS colour; may be empty" }),
  permissions: Schema.Array(Permission).annotate({ description: "What holders may do" }),
  meta: JsonObject
}

/** A named set of permissions. */
export const Role = Schema.Struct(roleFields).annotate({
  identifier: "Role",
  description: "A named set of permissions"
})
export interface Role extends Schema.Schema.Type<typeof Role> {}

const holding = {
  badge: Schema.Boolean.annotate({ description: "Whether the holder shows this role as their badge" }),
  default: Schema.Boolean.annotate({ description: "Whether the role is built in" })
}

/** A role as one account holds it. */
export const AccountRole = Schema.Struct({ ...roleFields, ...holding }).annotate({
  identifier: "AccountRole",
  description: "A role as one account holds it"
})
export interface AccountRole extends Schema.Schema.Type<typeof AccountRole> {}

/** A held role as shown beside a name. */
export const AccountRoleRef = Schema.Struct({
  id: RoleId,
  name: Schema.String,
  colour: Schema.String,
  meta: JsonObject,
  ...holding
}).annotate({
  identifier: "AccountRoleRef",
  description: "A held role as shown beside a name"
})
export interface AccountRoleRef extends Schema.Schema.Type<typeof AccountRoleRef> {}

export class RoleNotFound extends Problem<RoleNotFound>()("RoleNotFound", {
  status: 404,
  title: "There is no such role",
  explanation: "No role has the id in the path.",
  metadata: { role_id: Schema.String }
}) {}
