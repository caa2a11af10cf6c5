import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import type { NodeState } from "../../domain/library/NodeRules.ts"
import { valueForms } from "../../domain/library/NodeSearchText.ts"
import type { Property, PropertySchema, PropertyType } from "../../domain/library/Property.ts"
import {
  fieldsOf,
  type MovedField,
  PropertyStore,
  type UsedField
} from "../../domain/library/PropertyStore.ts"
import type { NodeId, PropertyFieldId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, first, isOneOf, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { inGroup } from "./PropertyGroupSql.ts"

interface FieldRow {
  readonly fid: PropertyFieldId
  readonly parent_id: NodeId | null
  readonly node_id: NodeId | null
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

const order = "sort, fid"

/** Fields by the page whose children share them, and by the page whose own they are. */
const byGroup = (rows: ReadonlyArray<FieldRow>) => {
  const groups = {
    shared: new Map<NodeId, Array<PropertySchema>>(),
    own: new Map<NodeId, Array<PropertySchema>>()
  }
  for (const row of rows) {
    const [of, id] = row.parent_id === null ? [groups.own, row.node_id] : [groups.shared, row.parent_id]
    if (id === null) continue
    const fields = of.get(id)
    if (fields === undefined) of.set(id, [fieldOf(row)])
    else fields.push(fieldOf(row))
  }
  return groups
}

const noFields = Effect.succeed(byGroup([]))

/** What takes the place of fields, as rows of a statement. */
const moveRows = (moves: ReadonlyArray<MovedField>) =>
  moves.map(({ from, page, to }) => ({
    page: page ?? null,
    from,
    to: to.fid,
    name: to.name,
    type: to.type,
    sort: to.sort
  }))

interface Count {
  readonly number: number
}

const fidsOf = (rows: ReadonlyArray<{ readonly fid: PropertyFieldId }>): ReadonlySet<PropertyFieldId> =>
  new Set(rows.map(({ fid }) => fid))

export const layer = Layer.effect(
  PropertyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    /** The fields that the children of these pages share, and those that these pages have themselves. */
    const fieldsBy = (parents: ReadonlyArray<NodeId>, owners: ReadonlyArray<NodeId>) => {
      const some = (column: "parent_id" | "node_id", ids: ReadonlyArray<NodeId>) =>
        reads`select fid, parent_id, node_id, name, type, sort
          from property_fields where ${isOneOf(reads, column, ids)}`
      const of = (found: Statement.Fragment) =>
        Effect.map(all(reads<FieldRow>`${found} order by ${reads.literal(order)}`), byGroup)
      if (parents.length === 0) return owners.length === 0 ? noFields : of(some("node_id", owners))
      const shared = some("parent_id", parents)
      return of(owners.length === 0 ? shared : reads`${shared} union all ${some("node_id", owners)}`)
    }

    const childFieldsOf = (parents: ReadonlyArray<NodeId>) =>
      Effect.map(fieldsBy(parents, []), ({ shared }) => shared)

    const valuesOf = (pages: ReadonlyArray<NodeId>) =>
      all(
        reads<ValuesRow>`select node_id, json_object_agg(fid, value) as values from property_values
          where ${isOneOf(reads, "node_id", pages)} group by node_id`
      )

    const propertiesOf = Effect.fnUntraced(function* (
      pages: ReadonlyArray<Pick<NodeState, "id" | "parentId">>
    ) {
      const found = new Map<NodeId, ReadonlyArray<Property>>()
      if (pages.length === 0) return found
      const parents = new Set(pages.flatMap(({ parentId }) => parentId ?? []))
      const atTop = pages.flatMap(({ id, parentId }) => (parentId === undefined ? [id] : []))
      const [groups, rows] = yield* Effect.all(
        [fieldsBy([...parents], atTop), valuesOf(pages.map(({ id }) => id))],
        { concurrency: "unbounded" }
      )
      const values = new Map(rows.map((row) => [row.node_id, row.values]))
      for (const { id, parentId } of pages) {
        const own = values.get(id)
        const fields = (parentId === undefined ? groups.own.get(id) : groups.shared.get(parentId)) ?? []
        found.set(
          id,
          fields.map((field) => ({ ...field, value: own?.[field.fid] ?? "" }))
        )
      }
      return found
    })

    const deleteFields = Effect.fnUntraced(function* (fids: ReadonlyArray<PropertyFieldId>) {
      // Values first, so that each page is touched once, however many fields it loses.
      const gone = yield* first(
        sql<Count>`with gone as (delete from property_values where fid = any(${fids}::text[]) returning fid)
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
      fields: ReadonlyArray<PropertySchema & { readonly parent?: NodeId; readonly page?: NodeId }>
    ) =>
      run(sql`insert into property_fields (fid, parent_id, node_id, name, type, sort)
        select new.fid, new.parent, new.page, new.name, new.type, new.sort
        from jsonb_to_recordset(${sql.json(fields)})
          new (fid text, parent text, page text, name text, type text, sort text)`)

    return PropertyStore.of({
      childFieldsOf,
      propertiesOf,

      fieldsForUpdate: (group) =>
        all(sql<PropertySchema>`select f.fid, f.name, f.type, f.sort from property_fields f
          where ${inGroup(sql, group)} order by f.sort, f.fid`),

      propertiesForUpdate: (page) =>
        all(sql<Property>`select f.fid, f.name, f.type, coalesce(v.value, '') as value, f.sort
          from property_fields f left join property_values v on v.fid = f.fid and v.node_id = ${page.id}
          where ${inGroup(sql, fieldsOf(page))} order by f.sort, f.fid`),

      hasChildren: (page) => some(sql`select from nodes where parent_id = ${page} limit 1`),

      usedBy: (pages, fids) =>
        Effect.map(
          all(sql<{ readonly fid: PropertyFieldId }>`select distinct fid from property_values
            where node_id = any(${pages}::text[]) and fid = any(${fids}::text[])`),
          fidsOf
        ),

      usedByEach: (pages, fids) =>
        all(sql<UsedField>`select node_id as page, fid from property_values
          where node_id = any(${pages}::text[]) and fid = any(${fids}::text[]) order by node_id, fid`),

      countValues: (pages) =>
        Effect.map(
          first(sql<Count>`select count(*)::int as number from property_values
            where node_id = any(${pages}::text[])`),
          (row) => row?.number ?? 0
        ),

      changeFields: Effect.fnUntraced(function* ({ id, of }, { added, changed, deleted }) {
        // Names that are given up first; those that fields exchange are compared at the end of the statement.
        const gone = deleted.length > 0 ? yield* deleteFields(deleted) : 0
        if (changed.length > 0) yield* updateFields(changed)
        const group = of === "page" ? { page: id } : { parent: id }
        if (added.length > 0)
          yield* insertFields(added.map(({ fid, name, sort, type }) => ({ ...group, fid, name, type, sort })))
        return gone
      }),

      addOwnFields: (fields) => (fields.length === 0 ? Effect.void : insertFields(fields)),

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
              from jsonb_to_recordset(${sql.json(moveRows(moves))}) move (page text, "from" text, "to" text)
              where v.fid = move."from" and v.node_id = any(${pages}::text[])
                and (move.page is null or v.node_id = move.page)`),

      moveDrafts: (pages, fields, moves) =>
        run(sql`with field as materialized (
            select * from jsonb_to_recordset(${sql.json(fields)}) f (fid text, name text, type text, sort text)
          ), move as materialized (
            select * from jsonb_to_recordset(${sql.json(moveRows(moves))})
              m (page text, "from" text, "to" text, name text, type text, sort text)
          ), moved as (
            -- Each field that a draft names, or that its author left out, as its author knew it and in its new place.
            select v.id, f.fid, coalesce(known.name, f.name) as name, coalesce(known.type, f.type) as type,
              coalesce(known.sort, f.sort) as sort, m."to", m.name as to_name, m.type as to_type,
              m.sort as to_sort, e.entry, e.place
            from node_versions v cross join field f
            left join move m on m."from" = f.fid and (m.page is null or m.page = v.node_id)
            left join jsonb_to_recordset(v.known_fields) known (fid text, name text, type text, sort text)
              on known.fid = f.fid
            left join jsonb_array_elements(v.properties) with ordinality e (entry, place)
              on e.entry ->> 'fid' = f.fid
            where v.status = 'draft' and v.node_id = any(${pages}::text[])
              and (e.entry is not null or known.fid is not null)
          )
          update node_versions v set
            properties = coalesce((
              select jsonb_agg(case
                  when m.fid is null then e.entry
                  when m."to" is null then e.entry - 'fid'
                  else e.entry || jsonb_build_object('fid', m."to",
                    'name', case when e.entry ->> 'name' = m.name then m.to_name else e.entry ->> 'name' end,
                    'type', case when e.entry ->> 'type' = m.type then m.to_type else e.entry ->> 'type' end,
                    'sort', case when e.entry ->> 'sort' = m.sort then m.to_sort else e.entry ->> 'sort' end)
                end order by e.place)
              from jsonb_array_elements(v.properties) with ordinality e (entry, place)
              left join moved m on m.id = v.id and m.place = e.place
              where m.fid is null or m."to" is not null or e.entry ->> 'value' <> ''
            ), '[]') || coalesce((
              -- What its author has left out is emptied.
              select jsonb_agg(jsonb_build_object('fid', m."to", 'name', m.to_name, 'type', m.to_type, 'value', '',
                'sort', m.to_sort) order by m."to")
              from moved m where m.id = v.id and m.entry is null and m."to" is not null
            ), '[]'),
            -- Other fields that there are by now are none that its author has left out.
            known_fields = case when v.known_fields is not null then coalesce((
              select jsonb_agg(jsonb_build_object('fid', m."to", 'name', m.to_name, 'type', m.to_type, 'sort', m.to_sort))
              from moved m where m.id = v.id and m."to" is not null), '[]') end
          where v.status = 'draft' and v.node_id = any(${pages}::text[])`),

      noteEdit: (page, at, isVersioned) =>
        run(sql`update nodes set updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
            current_version_id = case when not ${isVersioned}::boolean then current_version_id end
          where id = ${page}`),

      deleteFieldsOfNobody: (group) =>
        run(
          sql`delete from property_fields f where ${inGroup(sql, group)} and ${
            group.of === "page"
              ? sql`exists (select from nodes where id = ${group.id} and parent_id is not null)`
              : sql`not exists (select from nodes where parent_id = ${group.id})`
          }`
        )
    })
  })
)
