import { Schema } from "effect"
import { colourOrNone } from "../field/Colour.ts"
import { withExample } from "../field/Example.ts"
import { JsonObject, metaWithin } from "../field/Json.ts"
import { resourceFields } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { RoleId } from "../shared/Id.ts"
import { Permission } from "../shared/Permission.ts"
import { Problem } from "../shared/Problem.ts"
import { neverEdited } from "./BuiltInRoles.ts"
import { editorRole } from "./RoleExamples.ts"

/** Custom roles of an instance. The database holds this limit and the next one, too. Every list has all of them, and profiles show those that their account holds. */
export const rolesMax = 200

/** Custom roles that one account holds: pages show them beside every name. */
export const heldMax = 32

/** Characters of a role's `meta` as JSON: pages show it beside every name. */
export const metaMax = 2048

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

const meta = Schema.optionalKey(JsonObject).annotateKey({ description: "Absent if it has none" })

/** An instant as other resources have it, or `neverEdited`. */
export const RoleTimestamp = Schema.String.check(
  Schema.isPattern(/^(?:0001-01-01T00:00:00Z|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)$/u, {
    expected: "an instant in UTC"
  })
)
  .annotate({ format: "date-time" })
  .pipe(Schema.brand("RoleTimestamp"))
export type RoleTimestamp = typeof RoleTimestamp.Type

const untilEdited = `\`${neverEdited}\` of a built-in role that nobody has edited`

const roleFields = {
  id: RoleId,
  ...resourceFields,
  createdAt: RoleTimestamp.annotateKey({ description: `When it was created; ${untilEdited}` }),
  updatedAt: RoleTimestamp.annotateKey({ description: `When it was last changed; ${untilEdited}` }),
  name: Schema.String.annotate({ description: "The unique name" }),
  colour: Schema.String.annotate({ description: "A CSS colour, or empty" }),
  permissions: Schema.Array(Permission).annotate({ description: "What holders may do" }),
  meta,
  ...holding
}

/** A named set of permissions. */
export const Role = Schema.Struct(roleFields)
  .annotate({
    identifier: "Role",
    description: "A named set of permissions"
  })
  .pipe(withExample(editorRole))
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
  meta,
  ...holding
}).annotate({
  identifier: "AccountRoleRef",
  description: "A role as it is shown beside the name of an account that holds it"
})
export interface AccountRoleRef extends Schema.Schema.Type<typeof AccountRoleRef> {}

const name = Text.visibleLine({ max: 100, description: "The unique name" })

const permissions = Schema.Array(Permission)
  .check(Schema.isMaxLength(100))
  .annotate({ description: "What holders may do, shown in this order" })

const Meta = metaWithin(metaMax)

export const NewRole = Schema.Struct({
  name,
  colour: colourOrNone,
  permissions,
  meta: Schema.optionalKey(Meta)
})
  .annotate({
    identifier: "RoleInitialProps",
    description: "A role to create"
  })
  .pipe(
    withExample({
      name: editorRole.name,
      colour: editorRole.colour,
      permissions: editorRole.permissions,
      meta: editorRole.meta
    })
  )
export interface NewRole extends Schema.Schema.Type<typeof NewRole> {}

/** A change of a role: absent keys stay as they are; `permissions` and `meta` are replaced. */
export const RoleChanges = Schema.Struct({
  name: Schema.optionalKey(name),
  colour: Schema.optionalKey(colourOrNone),
  permissions: Schema.optionalKey(permissions),
  meta: Schema.optionalKey(Meta)
})
  .annotate({
    identifier: "RoleMutableProps",
    description: "What to change of a role; absent fields stay as they are"
  })
  .pipe(withExample({ colour: editorRole.colour, permissions: editorRole.permissions }))
export interface RoleChanges extends Schema.Schema.Type<typeof RoleChanges> {}

export const RoleOrder = Schema.Struct({
  role_ids: Schema.Array(RoleId)
    .check(Schema.isMaxLength(rolesMax))
    .annotate({ description: "Every custom role once, highest first" })
})
  .annotate({
    identifier: "RoleOrderMutableProps",
    description: "The order of the custom roles"
  })
  .pipe(withExample({ role_ids: [editorRole.id] }))
export interface RoleOrder extends Schema.Schema.Type<typeof RoleOrder> {}

export class RoleNotFound extends Problem<RoleNotFound>()("RoleNotFound", {
  status: 404,
  title: "There is no such role",
  explanation: "No role has the id in the path.",
  metadata: { role_id: Schema.String }
}) {}
