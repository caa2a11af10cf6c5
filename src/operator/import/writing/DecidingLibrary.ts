/** Decides of staged records of the library which are written, and as what. */
import { fieldsMax, levelsMax } from "../../../domain/library/LibraryLimits.ts"
import type { Session } from "../../shared/Session.ts"
import { schema, tableOf } from "../Staging.ts"
import { atMost, clear, laterOnes, leaveOut, noting, onePair, unique } from "./Checks.ts"
import { settlePlaces } from "./Places.ts"
import { settleTree } from "./Trees.ts"

const nodes = tableOf("nodes")
const versions = tableOf("node_versions")

/** The pages that there will be. */
const pages = `(select id, parent_id from ${nodes} where fate is null union all select id, parent_id from nodes)`

/** The fields that there will be. */
const fields = `(select id, parent_id, node_id from ${tableOf("property_fields")} where fate is null
  union all select fid, parent_id, node_id from property_fields)`

const sameGroup = "(t.parent_id = s.parent_id or t.node_id = s.node_id)"

const schemas = [
  leaveOut("property_fields", "invalid", "num_nonnulls(s.parent_id, s.node_id) <> 1"),
  // A page within another one has the fields of its siblings.
  leaveOut(
    "property_fields",
    "no_such_reference",
    `s.node_id is not null and not exists (select from ${pages} t where t.id = s.node_id and t.parent_id is null)`,
    "s.node_id"
  ),
  noting(
    "property_fields",
    { outcome: "repaired", reason: "name_changed", field: "name" },
    "name = left(s.name, 234) || '-' || s.id",
    `exists (select from property_fields t where t.name = s.name and ${sameGroup})
      or s.line in (${laterOnes("property_fields", "coalesce(parent_id, ''), coalesce(node_id, ''), name")})`
  ),
  atMost("property_fields", "s.parent_id, s.node_id", fieldsMax, {
    there: `(select count(*) from property_fields t where ${sameGroup})`
  })
]

const values = [
  ...onePair("property_values", "node_id, field_id", "property_values", { called: { field_id: "fid" } }),
  // Of a page that went to the top, for example, as what contained it is not there.
  leaveOut(
    "property_values",
    "no_such_reference",
    `not exists (select from ${fields} f join ${pages} n on f.node_id = n.id or f.parent_id = n.parent_id
      where f.id = s.field_id and n.id = s.node_id)`,
    "s.field_id"
  )
]

const isDraft = "s.status = 'draft'"

/** Lets lists of properties name the fields by the ids that they have now. */
const followFields = (column: "properties" | "known_fields") =>
  `update ${versions} s set ${column} = (
      select coalesce(jsonb_agg(case when m.id is null then given.value
          else jsonb_set(given.value, '{fid}', to_jsonb(m.id)) end order by given.place), '[]')
      from jsonb_array_elements(s.${column}) with ordinality given (value, place)
        left join ${schema}.moved m on m.kind = 'property_fields' and m.given = given.value->>'fid')
    where s.fate is null and s.${column} is not null
      and exists (select from ${schema}.moved where kind = 'property_fields')`

const history = [
  ...onePair("node_versions", "node_id, status", "node_versions", { only: isDraft }),
  atMost("node_versions", "s.author_id", 1000, {
    only: isDraft,
    there: "coalesce((select drafts from node_draft_counts t where t.account_id = s.author_id), 0)"
  }),
  followFields("properties"),
  followFields("known_fields"),
  clear(
    "nodes",
    "current_version_id",
    "no_such_reference",
    `not exists (select from ${versions} t
      where t.id = s.current_version_id and t.node_id = s.id and t.status = 'applied' and t.fate is null)`
  )
]

export const settleLibrary = async (session: Session) => {
  await session.run(`create index on ${nodes} (id)`, `create index on ${nodes} (parent_id)`)
  await settleTree(session, "nodes", levelsMax)
  await session.run(unique("nodes", "slug", "slug_changed", 255), ...schemas, ...values, ...history)
  await settlePlaces(session)
}
