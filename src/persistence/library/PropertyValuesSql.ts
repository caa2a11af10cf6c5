/** The values of properties, as writes read and change them. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { valueForms } from "../../domain/library/NodeSearchText.ts"
import type { PropertyStore, UsedField } from "../../domain/library/PropertyStore.ts"
import type { PropertyFieldId } from "../../domain/shared/Id.ts"
import { all, first, run } from "../shared/Query.ts"

const fidsOf = (rows: ReadonlyArray<{ readonly fid: PropertyFieldId }>): ReadonlySet<PropertyFieldId> =>
  new Set(rows.map(({ fid }) => fid))

export const makePropertyValues = Effect.map(
  PgClient.PgClient,
  (sql) =>
    ({
      usedBy: (nodes, fids) =>
        Effect.map(
          all(sql<{ readonly fid: PropertyFieldId }>`select distinct fid from property_values
            where node_id = any(${nodes}::text[]) and fid = any(${fids}::text[])`),
          fidsOf
        ),

      usedByEach: (nodes, fids) =>
        all(sql<UsedField>`select node_id as node, fid from property_values
          where node_id = any(${nodes}::text[]) and fid = any(${fids}::text[]) order by node_id, fid`),

      countValues: (nodes) =>
        Effect.map(
          first(sql<{ readonly number: number }>`select count(*)::int as number from property_values
            where node_id = any(${nodes}::text[])`),
          (row) => row?.number ?? 0
        ),

      setValues: (node, values) => {
        const given = values
          .filter(({ value }) => value !== "")
          .map(({ fid, value }) => ({ fid, value, ...valueForms(value) }))
        return run(sql`with given as (
            select fid, value, search, array_to_tsvector(string_to_array(nullif(pieces, ''), e'\n')) as pieces
            from jsonb_to_recordset(${sql.json(given)}) new (fid text, value text, search text, pieces text)
          ), cleared as (
            delete from property_values where node_id = ${node} and fid not in (select fid from given)
          )
          insert into property_values as known (node_id, fid, value, search, pieces)
            select ${node}, fid, value, search, pieces from given
          on conflict (node_id, fid) do update
            set value = excluded.value, search = excluded.search, pieces = excluded.pieces
            where known.value <> excluded.value`)
      },

      keepValues: (node, fids) =>
        run(sql`delete from property_values where node_id = ${node} and fid <> all(${fids}::text[])`)
    }) satisfies Pick<
      PropertyStore["Service"],
      "countValues" | "keepValues" | "setValues" | "usedBy" | "usedByEach"
    >
)
