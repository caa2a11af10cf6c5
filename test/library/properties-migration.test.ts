/** What becomes of pages of the top level that shared their fields. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import migrateOwners from "../../src/persistence/migrations/0055_property_owners.ts"
import { type Answer, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { page, setChildFields, valuesOf } from "./propertySupport.ts"

/** Lets all pages of the top level share the fields of the first, and makes the schema what it was. */
const undo = [
  `create temporary table same on commit drop as
    select other.fid, first.fid as kept from property_fields other join property_fields first using (name)
    where first.node_id = (select min(id) from nodes where parent_id is null) and other.node_id is not null`,
  `update property_values v set fid = kept from same s where v.fid = s.fid`,
  `update node_versions v set properties = (select coalesce(jsonb_agg(
      case when s.kept is null then entry else (entry || jsonb_build_object('fid', s.kept, 'name', '')) - 'type' - 'sort' end
      order by place), '[]') from jsonb_array_elements(properties) with ordinality e (entry, place)
      left join same s on s.fid = entry ->> 'fid')`,
  `alter table node_versions add column known text[]`,
  `update node_versions set known = array(select s.kept from jsonb_to_recordset(known_fields) k (fid text)
      join same s using (fid)) where known_fields is not null`,
  `alter table node_versions drop column known_fields`,
  `alter table node_versions rename column known to known_fields`,
  `delete from property_fields where fid in (select fid from same where fid <> kept)`,
  `alter table property_fields drop column node_id`,
  `alter table property_fields drop constraint property_fields_name`,
  `alter table property_fields
    add constraint property_fields_name unique nulls not distinct (parent_id, name) deferrable`,
  // It names all columns.
  `drop trigger nodes_version on nodes`,
  `alter table nodes drop column own_field_bytes`
]

layer(People.layer)("the migration of the fields of the top level", (it) => {
  it.effect("leaves every page its fields, its values and what its versions say", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const fields = [
        { name: "Second", type: "number", sort: "1" },
        { name: "First", type: "timestamp", sort: "1" }
      ]
      const made = yield* Effect.forEach(
        [
          [odin, "One", "1"],
          [freya, "Two", "2"],
          [odin, "Three", ""]
        ] as const,
        ([by, name, value]) =>
          page(by, name, {
            properties: fields.map((field) => ({ ...field, value: value && `${value}${field.name}` }))
          })
      )
      yield* page(odin, "Child", { parent: "one", properties: [{ name: "Inner", type: "text", value: "x" }] })
      const [, two, three] = made
      ok(yield* odin.post("/nodes/three/versions", {}))
      ok(
        yield* odin.post("/nodes/two/versions", {
          properties: [
            { ...two.properties[0], value: "drafted" },
            { name: "New", type: "text", value: "n" }
          ]
        })
      )
      const listed = Effect.map(odin.get("/nodes?visibility=draft&format=flat"), (answer) =>
        ok(answer).nodes.map((node: Answer["json"]) => ({
          ...node,
          updatedAt: "",
          properties: node.properties.map(({ fid: _, ...property }: Answer["json"]) => property)
        }))
      )
      const before = yield* listed
      yield* sql.withTransaction(
        Effect.andThen(
          Effect.forEach(undo, (statement) => sql.unsafe(statement)),
          migrateOwners
        )
      )
      assert.deepStrictEqual(yield* listed, before)
      const fids = (yield* Effect.forEach(made, ({ slug }) => odin.patch(`/nodes/${slug}`, {}))).flatMap(
        (answer) => ok(answer).properties.map(({ fid }: Answer["json"]) => fid)
      )
      assert.lengthOf(new Set(fids), 6)
      for (const fid of fids) assert.match(fid, /^[0-9a-v]{19}[0g]$/)
      // What is drafted speaks of the page's own fields, in full.
      const draft = ok(yield* odin.get("/nodes/three/versions/draft"))
      const now = ok(yield* odin.get("/nodes/three")).properties
      assert.deepStrictEqual(draft.properties, now)
      assert.deepStrictEqual(valuesOf(now), valuesOf(three.properties))
      const { id, properties } = ok(yield* odin.patch("/nodes/two/versions/draft", {}))
      assert.deepInclude(properties[0], { name: "Second", type: "number", sort: "1", value: "drafted" })
      ok(yield* odin.patch(`/nodes/two/versions/${id}/status`, { status: "applied" }))
      const applied = ok(yield* odin.patch("/nodes/two", {})).properties
      // The author left one out, of this page alone.
      assert.deepStrictEqual(valuesOf(applied).toSorted(), ["New=n", "Second=drafted"])
      assert.deepStrictEqual(
        yield* Effect.map(odin.get("/nodes/one"), (one) => valuesOf(ok(one).properties)),
        ["Second=1Second", "First=1First"]
      )
      ok(yield* setChildFields(odin, "one", []))
    })
  )
})
