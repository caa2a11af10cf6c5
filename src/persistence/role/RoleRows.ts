import { Schema } from "effect"
import { JsonObject, misc } from "../../domain/field/Json.ts"
import { neverEdited } from "../../domain/role/BuiltInRoles.ts"
import { type Role, RoleTimestamp } from "../../domain/role/Role.ts"
import { RoleId } from "../../domain/shared/Id.ts"
import { Permission } from "../../domain/shared/Permission.ts"
import { toTimestamp } from "../shared/Rows.ts"

export const roleFields = {
  id: RoleId,
  created_at: Schema.Date,
  updated_at: Schema.Date,
  name: Schema.String,
  colour: Schema.String,
  permissions: Schema.Array(Permission),
  meta: JsonObject,
  built_in: Schema.Boolean
}
export const RoleRow = Schema.Struct(roleFields)

/** The metadata of a role as a field, which is left out if there is none. */
export const metaOf = (meta: JsonObject): { readonly meta?: JsonObject } =>
  Object.keys(meta).length === 0 ? {} : { meta }

/**
 * The times of a role. Every change of a role changes `updatedAt`, so a built-in role with equal times was never
 * edited.
 */
const datesOf = ({ built_in, created_at, updated_at }: typeof RoleRow.Type) => {
  const [createdAt, updatedAt] = [toTimestamp(created_at), toTimestamp(updated_at)]
  return built_in && createdAt === updatedAt
    ? { createdAt: unedited, updatedAt: unedited }
    : { createdAt: RoleTimestamp.make(createdAt), updatedAt: RoleTimestamp.make(updatedAt) }
}

const unedited = RoleTimestamp.make(neverEdited)

/** The role of a row as it is shown apart from the accounts that hold it. */
export const roleOf = (row: typeof RoleRow.Type): Role => ({
  id: row.id,
  ...datesOf(row),
  misc,
  name: row.name,
  colour: row.colour,
  permissions: row.permissions,
  ...metaOf(row.meta),
  badge: false,
  default: row.built_in
})
