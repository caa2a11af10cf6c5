/** Moves values and drafts of nodes from fields to those that take their place. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { MovedField, PropertyStore } from "../../domain/library/PropertyStore.ts"
import { run } from "../shared/Query.ts"

/** The fields that take the place of others, as rows of a statement. */
const moveRows = (moves: ReadonlyArray<MovedField>) =>
  moves.map(({ from, node, to }) => ({
    node: node ?? null,
    from,
    to: to.fid,
    name: to.name,
    type: to.type,
    sort: to.sort
  }))

export const makePropertyMoves = Effect.map(
  PgClient.PgClient,
  (sql) =>
    ({
      moveValues: (nodes, moves) =>
        moves.length === 0
          ? Effect.void
          : run(sql`update property_values v set fid = move."to"
              from jsonb_to_recordset(${sql.json(moveRows(moves))}) move (node text, "from" text, "to" text)
              where v.fid = move."from" and v.node_id = any(${nodes}::text[])
                and (move.node is null or v.node_id = move.node)`),

      moveDrafts: (nodes, fields, moves) =>
        run(sql`with field as materialized (
            select * from jsonb_to_recordset(${sql.json(fields)}) f (fid text, name text, type text, sort text)
          ), move as materialized (
            select * from jsonb_to_recordset(${sql.json(moveRows(moves))})
              m (node text, "from" text, "to" text, name text, type text, sort text)
          ), moved as (
            -- Each field that a draft names, or that its author left out, as its author knew it and in its new place.
            select v.id, f.fid, coalesce(known.name, f.name) as name, coalesce(known.type, f.type) as type,
              coalesce(known.sort, f.sort) as sort, m."to", m.name as to_name, m.type as to_type,
              m.sort as to_sort, e.entry, e.place
            from node_versions v cross join field f
            left join move m on m."from" = f.fid and (m.node is null or m.node = v.node_id)
            left join jsonb_to_recordset(v.known_fields) known (fid text, name text, type text, sort text)
              on known.fid = f.fid
            left join jsonb_array_elements(v.properties) with ordinality e (entry, place)
              on e.entry ->> 'fid' = f.fid
            where v.status = 'draft' and v.node_id = any(${nodes}::text[])
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
          where v.status = 'draft' and v.node_id = any(${nodes}::text[])`)
    }) satisfies Pick<PropertyStore["Service"], "moveDrafts" | "moveValues">
)
