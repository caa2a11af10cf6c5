/** The fields of properties, as writes read and change them. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Property, PropertySchema } from "../../domain/library/Property.ts"
import { fieldsOf, type PropertyStore } from "../../domain/library/PropertyStore.ts"
import type { NodeId, PropertyFieldId } from "../../domain/shared/Id.ts"
import { all, first, run } from "../shared/Query.ts"
import { inGroup } from "./PropertyGroupSql.ts"

export const makePropertyFields = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const deleteFields = Effect.fnUntraced(function* (fids: ReadonlyArray<PropertyFieldId>) {
    // Values first, so that each node is touched once, however many fields it loses.
    const gone = yield* first(
      sql<{
        readonly number: number
      }>`with gone as (delete from property_values where fid = any(${fids}::text[]) returning fid)
          select count(*)::int as number from gone`
    )
    yield* run(sql`delete from property_fields where fid = any(${fids}::text[])`)
    return gone?.number ?? 0
  })

  const updateFields = (fields: ReadonlyArray<PropertySchema>) =>
    run(sql`update property_fields f set name = new.name, type = new.type, sort = new.sort
        from jsonb_to_recordset(${sql.json(fields)}) new (fid text, name text, type text, sort text)
        where f.fid = new.fid`)

  const insertFields = (
    fields: ReadonlyArray<PropertySchema & { readonly parent?: NodeId; readonly node?: NodeId }>
  ) =>
    run(sql`insert into property_fields (fid, parent_id, node_id, name, type, sort)
        select new.fid, new.parent, new.node, new.name, new.type, new.sort
        from jsonb_to_recordset(${sql.json(fields)})
          new (fid text, parent text, node text, name text, type text, sort text)`)

  return {
    fieldsForUpdate: (group) =>
      all(sql<PropertySchema>`select f.fid, f.name, f.type, f.sort from property_fields f
          where ${inGroup(sql, group)} order by f.sort, f.fid`),

    propertiesForUpdate: (node) =>
      all(sql<Property>`select f.fid, f.name, f.type, coalesce(v.value, '') as value, f.sort
          from property_fields f left join property_values v on v.fid = f.fid and v.node_id = ${node.id}
          where ${inGroup(sql, fieldsOf(node))} order by f.sort, f.fid`),

    changeFields: Effect.fnUntraced(function* ({ id, of }, { added, changed, deleted }) {
      // Names that are given up first; those that fields exchange are compared at the end of the statement.
      const gone = deleted.length > 0 ? yield* deleteFields(deleted) : 0
      if (changed.length > 0) yield* updateFields(changed)
      const group = of === "node" ? { node: id } : { parent: id }
      if (added.length > 0)
        yield* insertFields(added.map(({ fid, name, sort, type }) => ({ ...group, fid, name, type, sort })))
      return gone
    }),

    addOwnFields: (fields) => (fields.length === 0 ? Effect.void : insertFields(fields)),

    deleteFieldsOfNobody: (group) =>
      run(
        sql`delete from property_fields f where ${inGroup(sql, group)} and ${
          group.of === "node"
            ? sql`exists (select from nodes where id = ${group.id} and parent_id is not null)`
            : sql`not exists (select from nodes where parent_id = ${group.id})`
        }`
      )
  } satisfies Pick<
    PropertyStore["Service"],
    "addOwnFields" | "changeFields" | "deleteFieldsOfNobody" | "fieldsForUpdate" | "propertiesForUpdate"
  >
})
