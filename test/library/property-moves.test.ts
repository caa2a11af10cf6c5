/** What becomes of properties when pages move and go. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fieldsMax } from "../../src/domain/library/LibraryLimits.ts"
import { TooManyPropertyFields } from "../../src/domain/library/Property.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { page, propertiesOf, setChildFields, stored, valuesOf, valuesOfChildren } from "./propertySupport.ts"

const weight = { name: "Weight", type: "number", value: "4", sort: "2" }
const colour = { name: "Colour", type: "text", value: "red", sort: "1" }
const size = { name: "Size", type: "text", value: "", sort: "3" }

layer(People.layer)("the properties of a page that moves", (it) => {
  it.effect("come with it: under fields of the same names, or under fields that are added", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "From")
      yield* page(odin, "To")
      yield* page(odin, "Stays", { parent: "from" })
      yield* page(odin, "Moves", { parent: "from", properties: [weight, colour, size] })
      // The type of the group that it comes into is another one.
      yield* page(odin, "There", {
        parent: "to",
        properties: [{ ...weight, type: "text", value: "light", sort: "9" }]
      })
      ok(yield* odin.put("/nodes/to/nodes/moves"))
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "from"), {
        stays: ["Colour=", "Weight=", "Size="]
      })
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "to"), {
        there: ["Colour=", "Weight=light"],
        moves: ["Colour=red", "Weight=4"]
      })
      const { nodes } = ok(yield* odin.get("/nodes/to/children"))
      assert.deepStrictEqual(
        nodes[0].properties.map(({ sort, type }: { readonly sort: string; readonly type: string }) => [
          type,
          sort
        ]),
        [
          ["text", "1"],
          ["text", "9"]
        ]
      )
      // Sorted by the values that came along.
      const [first] = ok(yield* odin.get("/nodes/to/children?children_sort=Colour")).nodes
      assert.strictEqual(first.slug, "moves")
    })
  )

  it.effect("come with it to the top level and from there, by every way", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Place")
      yield* page(odin, "Other")
      yield* page(odin, "Traveller", { parent: "place", properties: [weight] })
      const traveller = Effect.map(odin.patch("/nodes/traveller", {}), (answer) =>
        valuesOf(ok(answer).properties)
      )
      for (const move of [
        odin.delete("/nodes/place/nodes/traveller"),
        odin.patch("/nodes/traveller/position", { parent: "place" }),
        odin.patch("/nodes/traveller", { parent: "other" }),
        odin.patch("/nodes/traveller/position", { parent: null }),
        odin.put("/nodes/place/nodes/traveller")
      ]) {
        ok(yield* move)
        assert.deepStrictEqual(yield* traveller, ["Weight=4"])
      }
      // The others at the top level have the field still, the groups that were left have none.
      const other = ok(yield* odin.patch("/nodes/other", {}))
      assert.deepStrictEqual(valuesOf(other.properties), ["Weight="])
      assert.deepStrictEqual(other.child_property_schema, [])
    })
  )

  it.effect("come with the children of a page that is deleted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Doomed")
      yield* page(odin, "Heir", { properties: [] })
      yield* page(odin, "Orphan one", { parent: "doomed", properties: [weight] })
      yield* page(odin, "Orphan two", { parent: "doomed", properties: [{ name: "Weight", value: "5" }] })
      ok(yield* odin.delete("/nodes/doomed?target_node=heir"))
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "heir"), {
        "orphan-one": ["Weight=4"],
        "orphan-two": ["Weight=5"]
      })
      ok(yield* odin.delete("/nodes/heir"))
      for (const [slug, value] of [
        ["orphan-one", "4"],
        ["orphan-two", "5"]
      ]) {
        const { properties } = ok(yield* odin.patch(`/nodes/${slug}`, {}))
        assert.deepInclude(valuesOf(properties), `Weight=${value}`)
      }
    })
  )

  it.effect("keep it where it is if there is no room for their fields", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Full")
      yield* page(odin, "In full", { parent: "full" })
      const fields = Array.from({ length: fieldsMax }, (_, n) => ({ name: `f${n}`, type: "text", sort: "" }))
      propertiesOf(yield* setChildFields(odin, "full", fields))
      yield* page(odin, "Source")
      yield* page(odin, "Known", {
        parent: "source",
        properties: [{ name: "f1", type: "text", value: "known" }]
      })
      yield* page(odin, "Unknown", { parent: "source", properties: [colour] })
      assertProblem(yield* odin.put("/nodes/full/nodes/unknown"), TooManyPropertyFields, {
        maximum: fieldsMax
      })
      assert.deepStrictEqual((yield* valuesOfChildren(odin, "source")).unknown, ["f1=", "Colour=red"])
      ok(yield* odin.put("/nodes/full/nodes/known"))
      assert.include((yield* valuesOfChildren(odin, "full")).known, "f1=known")
      // Without values there is nothing to bring.
      ok(yield* odin.patch("/nodes/unknown/properties", { properties: [] }))
      ok(yield* odin.put("/nodes/full/nodes/unknown"))
    })
  )

  it.effect("keep their fields only as long as there are pages", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* page(odin, "Emptied")
      for (const name of ["Last one", "Last but one"]) {
        yield* page(odin, name, { parent: "emptied", properties: [weight] })
      }
      const fieldsOf = Effect.map(
        sql<{ readonly fields: number }>`select count(*)::int as fields from property_fields
          where parent_id = (select id from nodes where slug = 'emptied')`,
        ([row]) => row?.fields
      )
      ok(yield* odin.delete("/nodes/last-but-one"))
      assert.strictEqual(yield* fieldsOf, 1)
      ok(yield* odin.delete("/nodes/last-one"))
      assert.strictEqual(yield* fieldsOf, 0)
      const again = yield* page(odin, "Moved out", { parent: "emptied", properties: [weight] })
      ok(yield* odin.put(`/nodes/source/nodes/${again.id}`))
      assert.strictEqual(yield* fieldsOf, 0)
    })
  )

  it.effect("go with the last page of the top level", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* page(odin, "At the top", { properties: [weight] })
      const slugs = yield* sql<{ readonly slug: string }>`select slug from nodes`
      for (const { slug } of slugs) ok(yield* odin.delete(`/nodes/${slug}`))
      assert.deepStrictEqual(yield* stored, [{ fields: 0, values: 0 }])
    })
  )
})
