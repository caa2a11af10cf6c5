import type { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "effect/sql"
import type { NodeState } from "../../domain/library/NodeRules.ts"
import { type FieldGroup, fieldsOf } from "../../domain/library/PropertyStore.ts"

/** The condition that a row of `property_fields f` is one of these fields. */
export const inGroup = (sql: SqlClient.SqlClient, { id, of }: FieldGroup) =>
  of === "node" ? sql`f.node_id = ${id}` : sql`f.parent_id = ${id}`

/** All properties that a node has now, as an array. */
export const propertiesNow = (sql: PgClient.PgClient, node: Pick<NodeState, "id" | "parentId">) =>
  sql`select coalesce(jsonb_agg(jsonb_build_object('fid', f.fid, 'name', f.name, 'type', f.type,
        'value', coalesce(own.value, ''), 'sort', f.sort) order by f.sort, f.fid), '[]') as properties
      from property_fields f left join property_values own on own.fid = f.fid and own.node_id = ${node.id}
      where ${inGroup(sql, fieldsOf(node))}`
