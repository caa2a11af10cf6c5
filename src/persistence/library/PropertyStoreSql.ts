import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { valueForms } from "../../domain/library/NodeSearchText.ts"
import type { Property, PropertySchema, PropertyType } from "../../domain/library/Property.ts"
import { type Group, PropertyStore } from "../../domain/library/PropertyStore.ts"
import type { NodeId, PropertyFieldId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"

interface FieldRow {
  readonly fid: PropertyFieldId
  readonly parent_id: NodeId | null
  readonly name: string
  readonly type: PropertyType
  readonly sort: string
}

/** The values of a page by their fields. A page of a hundred others has thousands, and a row for each takes twice as long. */
interface ValuesRow {
  readonly node_id: NodeId
  readonly values: Readonly<Record<PropertyFieldId, string>>
}

const fieldOf = ({ fid, name, sort, type }: FieldRow): PropertySchema => ({ fid, name, type, sort })

const columns = "fid, parent_id, name, type, sort"
const order = "sort, fid"

/** The condition that a row is of a group of siblings. */
const inGroup = (sql: SqlClient.SqlClient, group: Group) =>
  group === undefined ? sql`parent_id is null` : sql`parent_id = ${group}`

const byGroup = (rows: ReadonlyArray<FieldRow>): ReadonlyMap<Group, ReadonlyArray<PropertySchema>> => {
  const groups = new Map<Group, Array<PropertySchema>>()
  for (const row of rows) {
    const group = row.parent_id ?? undefined
    const fields = groups.get(group)
    if (fields === undefined) groups.set(group, [fieldOf(row)])
    else fields.push(fieldOf(row))
  }
  return groups
}

const isPage = (group: Group): group is NodeId => group !== undefined

const fidsOf = (rows: ReadonlyArray<{ readonly fid: PropertyFieldId }>): ReadonlySet<PropertyFieldId> =>
  new Set(rows.map(({ fid }) => fid))

export const layer = Layer.effect(
  PropertyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    const fieldsOfGroups = (groups: ReadonlyArray<Group>) => {
      const fields = reads.literal(columns)
      const inOrder = reads.literal(order)
      const parents = groups.filter(isPage)
      const ofPages = reads`select ${fields} from property_fields where ${isOneOf(reads, "parent_id", parents)}`
      const statement =
        parents.length === groups.length
          ? reads<FieldRow>`${ofPages} order by ${inOrder}`
          : reads<FieldRow>`select ${fields} from (${ofPages} union all
            select ${fields} from property_fields where parent_id is null) fields order by ${inOrder}`
      return groups.length === 0 ? Effect.succeed(byGroup([])) : Effect.map(all(statement), byGroup)
    }

    const valuesOf = (pages: ReadonlyArray<NodeId>) =>
      all(
        reads<ValuesRow>`select node_id, json_object_agg(fid, value) as values from property_values
          where ${isOneOf(reads, "node_id", pages)} group by node_id`
      )

    const propertiesOf = Effect.fnUntraced(function* (
      pages: ReadonlyArray<{ readonly id: NodeId; readonly parentId: Group }>
    ) {
      const found = new Map<NodeId, ReadonlyArray<Property>>()
      if (pages.length === 0) return found
      const [groups, rows] = yield* Effect.all(
        [
          fieldsOfGroups([...new Set(pages.map(({ parentId }) => parentId))]),
          valuesOf(pages.map(({ id }) => id))
        ],
        { concurrency: "unbounded" }
      )
      const values = new Map(rows.map((row) => [row.node_id, row.values]))
      for (const { id, parentId } of pages) {
        const own = values.get(id)
        const fields = groups.get(parentId) ?? []
        found.set(
          id,
          fields.map((field) => ({ ...field, value: own?.[field.fid] ?? "" }))
        )
      }
      return found
    })

    const deleteFields = (fids: ReadonlyArray<PropertyFieldId>) =>
      // Values first, so that each page is touched once, however many fields it loses.
      Effect.andThen(
        run(sql`delete from property_values where fid = any(${fids}::text[])`),
        run(sql`delete from property_fields where fid = any(${fids}::text[])`)
      )

    const updateFields = (fields: ReadonlyArray<PropertySchema>) =>
      run(sql`update property_fields f set name = new.name, type = new.type, sort = new.sort
        from jsonb_to_recordset(${sql.json(fields)}) new (fid text, name text, type text, sort text)
        where f.fid = new.fid`)

    const insertFields = (group: Group, fields: ReadonlyArray<PropertySchema>) =>
      run(sql`insert into property_fields (fid, parent_id, name, type, sort)
        select new.fid, ${group ?? null}, new.name, new.type, new.sort
        from jsonb_to_recordset(${sql.json(fields)}) new (fid text, name text, type text, sort text)`)

    return PropertyStore.of({
      fieldsOfGroups,
      propertiesOf,

      fieldsForUpdate: (group) =>
        Effect.map(
          all(sql<FieldRow>`select ${sql.literal(columns)} from property_fields where ${inGroup(sql, group)}
            order by ${sql.literal(order)}`),
          (rows) => rows.map(fieldOf)
        ),

      propertiesForUpdate: (page, group) =>
        all(sql<Property>`select f.fid, f.name, f.type, coalesce(v.value, '') as value, f.sort
          from property_fields f left join property_values v on v.fid = f.fid and v.node_id = ${page}
          where ${inGroup(sql, group)} order by f.sort, f.fid`),

      hasPages: (group) => some(sql`select from nodes where ${inGroup(sql, group)} limit 1`),

      usedBy: (pages, fids) =>
        Effect.map(
          all(sql<{ readonly fid: PropertyFieldId }>`select distinct fid from property_values
            where node_id = any(${pages}::text[]) and fid = any(${fids}::text[])`),
          fidsOf
        ),

      changeFields: Effect.fnUntraced(function* (group, { added, changed, deleted }) {
        // Names that are given up first; those that fields exchange are compared at the end of the statement.
        if (deleted.length > 0) yield* deleteFields(deleted)
        if (changed.length > 0) yield* updateFields(changed)
        if (added.length > 0)
          yield* insertFields(
            group,
            added.map(({ fid, name, sort, type }) => ({ fid, name, type, sort }))
          )
      }),

      setValues: (page, values) => {
        const given = values
          .filter(({ value }) => value !== "")
          .map(({ fid, value }) => ({ fid, value, ...valueForms(value) }))
        return run(sql`with given as (
            select fid, value, search, array_to_tsvector(string_to_array(nullif(pieces, ''), e'\n')) as pieces
            from jsonb_to_recordset(${sql.json(given)}) new (fid text, value text, search text, pieces text)
          ), cleared as (
            delete from property_values where node_id = ${page} and fid not in (select fid from given)
          )
          insert into property_values as known (node_id, fid, value, search, pieces)
            select ${page}, fid, value, search, pieces from given
          on conflict (node_id, fid) do update
            set value = excluded.value, search = excluded.search, pieces = excluded.pieces
            where known.value <> excluded.value`)
      },

      keepValues: (page, fids) =>
        run(sql`delete from property_values where node_id = ${page} and fid <> all(${fids}::text[])`),

      moveValues: (pages, moves) =>
        moves.length === 0
          ? Effect.void
          : run(sql`update property_values v set fid = move."to"
              from jsonb_to_recordset(${sql.json(moves)}) move ("from" text, "to" text)
              where v.fid = move."from" and v.node_id = any(${pages}::text[])`),

      moveDrafts: (pages, fields) => {
        const moved = fields.map(({ to, ...field }) => ({
          ...field,
          to_fid: to?.fid ?? null,
          to_type: to?.type ?? null,
          to_sort: to?.sort ?? null
        }))
        return run(sql`with field as materialized (
            select * from jsonb_to_recordset(${sql.json(moved)})
              f (fid text, name text, type text, sort text, to_fid text, to_type text, to_sort text)
          )
          update node_versions v set
            properties = coalesce((
              select jsonb_agg(case
                  when f.fid is null then entry
                  when f.to_fid is not null then entry || jsonb_build_object('fid', f.to_fid)
                    || case when entry ->> 'type' = f.type then jsonb_build_object('type', f.to_type) else '{}' end
                    || case when entry ->> 'sort' = f.sort then jsonb_build_object('sort', f.to_sort) else '{}' end
                  else jsonb_build_object('type', f.type, 'sort', f.sort) || (entry - 'fid')
                    || jsonb_build_object('name', coalesce(nullif(entry ->> 'name', ''), f.name))
                end order by place)
              from jsonb_array_elements(v.properties) with ordinality e (entry, place)
              left join field f on f.fid = entry ->> 'fid'
              where f.fid is null or f.to_fid is not null or entry ->> 'value' <> ''
            ), '[]') || coalesce((
              -- What its author has left out is emptied.
              select jsonb_agg(jsonb_build_object('fid', f.to_fid, 'name', f.name, 'value', '') order by f.to_fid)
              from field f where f.to_fid is not null and f.fid = any(v.known_fields)
                and not v.properties @> jsonb_build_array(jsonb_build_object('fid', f.fid))
            ), '[]'),
            known_fields = case when v.known_fields is not null then '{}'::text[] end
          where v.status = 'draft' and v.node_id = any(${pages}::text[])`)
      },

      noteEdit: (page, at, isVersioned) =>
        run(sql`update nodes set updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
            current_version_id = case when not ${isVersioned}::boolean then current_version_id end
          where id = ${page}`),

      deleteFieldsOfNobody: (group) =>
        run(sql`delete from property_fields where ${inGroup(sql, group)}
          and not exists (select from nodes where ${inGroup(sql, group)})`)
    })
  })
)
