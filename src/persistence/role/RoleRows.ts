import { Schema } from "effect"
import type { Role } from "../../domain/role/Role.ts"
import { RoleId } from "../../domain/shared/Id.ts"
import { JsonObject, misc } from "../../domain/shared/Json.ts"
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

/** The role as it is where nobody holds it. */
export const roleOf = (row: typeof RoleRow.Type): Role => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  name: row.name,
  colour: row.colour,
  permissions: row.permissions,
  meta: row.meta,
  badge: false,
  default: row.built_in
})
