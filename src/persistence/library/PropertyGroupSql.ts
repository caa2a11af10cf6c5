import type { SqlClient } from "effect/sql"
import type { FieldGroup } from "../../domain/library/PropertyStore.ts"

/** The condition that a row of `property_fields f` is one of these fields. */
export const inGroup = (sql: SqlClient.SqlClient, { id, of }: FieldGroup) =>
  of === "page" ? sql`f.node_id = ${id}` : sql`f.parent_id = ${id}`
