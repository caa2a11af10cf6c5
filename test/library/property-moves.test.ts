/** What becomes of properties when pages move and go. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fieldsMax } from "../../src/domain/library/LibraryLimits.ts"
import {
  PropertyFieldUnknown,
  PropertyNameTaken,
  PropertyTypeMissing,
  TooManyPropertyFields
} from "../../src/domain/library/Property.ts"
import { type Answer, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, nobody } from "../support/people.ts"
import { assertProblem, type ProblemClass } from "../support/problems.ts"
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
      // Others at the top level share nothing with it, and the groups that were left have no fields.
      const other = ok(yield* odin.patch("/nodes/other", {}))
      assert.deepStrictEqual(other.properties, [])
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
      // Each gets fields of its own, in the same order; so does what its draft says.
      const drafted = ok(yield* odin.get("/nodes/orphan-two")).properties
      const proposed = [{ ...drafted[0], value: "6" }, colour]
      ok(yield* odin.post("/nodes/orphan-two/versions", { properties: proposed }))
      ok(yield* odin.delete("/nodes/heir"))
      for (const [slug, value] of [
        ["orphan-one", "4"],
        ["orphan-two", "5"]
      ]) {
        const { properties } = ok(yield* odin.patch(`/nodes/${slug}`, {}))
        assert.deepStrictEqual(valuesOf(properties), [`Weight=${value}`])
      }
      const [one, two] = [
        ok(yield* odin.get("/nodes/orphan-one")).properties,
        ok(yield* odin.get("/nodes/orphan-two")).properties
      ]
      assert.notStrictEqual(one[0].fid, two[0].fid)
      const { id, properties } = ok(yield* odin.get("/nodes/orphan-two/versions/draft"))
      assert.deepStrictEqual(properties, [{ ...two[0], value: "6" }, { ...colour }])
      ok(yield* odin.patch(`/nodes/orphan-two/versions/${id}/status`, { status: "applied" }))
      const applied = ok(yield* odin.get("/nodes/orphan-two")).properties
      assert.deepStrictEqual(valuesOf(applied), ["Colour=red", "Weight=6"])
      assert.deepStrictEqual(ok(yield* odin.get("/nodes/orphan-one")).properties, one)
    })
  )

  it.effect(
    "are what the request says that moves it, by the fields that it had or by those that are there",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        yield* page(odin, "Shop")
        yield* page(odin, "Store")
        yield* page(odin, "Stays in shop", { parent: "shop", properties: [{ ...weight, value: "1" }] })
        yield* page(odin, "Kept", {
          parent: "store",
          properties: [
            { ...weight, type: "text", sort: "9", value: "light" },
            { name: "Place", type: "text", value: "left", sort: "0" }
          ]
        })
        const pack = yield* page(odin, "Pack", {
          parent: "shop",
          properties: [weight, colour, size, { name: "Gone", type: "text", value: "gone" }]
        })
        const fidOf = (name: string) =>
          pack.properties.find((one: { readonly name: string }) => one.name === name)?.fid
        // As clients send back what they were shown, with another value; one is emptied, one has no value, one is left out.
        const sent = [
          { ...weight, fid: fidOf("Weight"), value: "40" },
          { ...colour, fid: fidOf("Colour"), value: "" },
          { ...size, fid: fidOf("Size") },
          { name: "Made", type: "text", value: "by hand", sort: "5" }
        ]
        const moved = ok(yield* odin.patch("/nodes/pack", { parent: "store", properties: sent }))
        assert.deepStrictEqual(valuesOf(moved.properties), ["Place=", "Made=by hand", "Weight=40"])
        const there = ok(yield* odin.get("/nodes/store/children")).nodes
        assert.deepStrictEqual(valuesOf(there[0].properties), ["Place=left", "Made=", "Weight=light"])
        // The field that is there keeps its type and place, whatever those of the other one were.
        const [, , weighed] = there[0].properties
        assert.deepStrictEqual([weighed.type, weighed.sort], ["text", "9"])
        assert.deepStrictEqual((yield* valuesOfChildren(odin, "shop"))["stays-in-shop"], [
          "Gone=",
          "Colour=",
          "Weight=1",
          "Size="
        ])
        // Back again, by the fields of the group where it comes to, one of which is renamed.
        const [first] = ok(yield* odin.get("/nodes/shop/children")).nodes
        const other = first.properties.find((one: { readonly name: string }) => one.name === "Colour")
        const back = [
          { fid: other.fid, name: "Tint", value: "blue" },
          { fid: weighed.fid, name: "Mass", value: "41" }
        ]
        const again = ok(yield* odin.patch("/nodes/pack", { parent: "shop", properties: back }))
        assert.sameMembers(valuesOf(again.properties), ["Tint=blue", "Mass=41", "Size=", "Gone="])
        const empty = ok(yield* odin.patch("/nodes/pack", { parent: "store", properties: [] }))
        assert.deepStrictEqual(valuesOf(empty.properties), ["Place=", "Made=", "Weight="])
        // In the group where it is, a list is a list of all fields.
        const here = [{ fid: weighed.fid, name: "", value: "42" }]
        const same = ok(yield* odin.patch("/nodes/pack", { parent: "store", properties: here }))
        assert.deepStrictEqual(valuesOf(same.properties), ["Weight=42"])
      })
  )

  it.effect(
    "are refused as others are where they name fields of neither group, and it stays where it is",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin } = yield* Cast
        yield* page(odin, "Guarded", { visibility: "published" })
        yield* page(loki, "Of loki", { parent: "guarded", properties: [weight] })
        const mine = yield* page(freya, "Mine", { properties: [{ ...weight, name: "Mass" }, colour] })
        const named = (name: string) =>
          mine.properties.find((one: { readonly name: string }) => one.name === name)
        const mass = named("Mass")
        const move = (properties: unknown) => freya.patch("/nodes/mine", { parent: "guarded", properties })
        const refused: ReadonlyArray<readonly [unknown, ProblemClass<object>]> = [
          [[{ fid: nobody, name: "x", value: "1" }], PropertyFieldUnknown],
          [[{ name: "New", value: "1" }], PropertyTypeMissing],
          [
            [
              { name: "New", type: "text", value: "5" },
              { name: "New", type: "number", value: "6" }
            ],
            PropertyNameTaken
          ]
        ]
        for (const [properties, problem] of refused) {
          assertProblem(yield* move(properties), problem)
        }
        assert.deepStrictEqual(ok(yield* freya.get("/nodes/mine")), mine)
        assert.deepStrictEqual(yield* valuesOfChildren(loki, "guarded"), { "of-loki": ["Weight=4"] })
        // The field that is there stays, as where a page is created.
        ok(yield* move([{ fid: mass.fid, name: "Mass", value: "7" }]))
        assert.deepStrictEqual((yield* valuesOfChildren(freya, "guarded")).mine, ["Weight=", "Mass=7"])
      })
  )

  it.effect("of its draft come with it, too", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Old place")
      yield* page(odin, "New place")
      const heavy = { ...weight, type: "text", sort: "8", value: "1" }
      yield* page(odin, "Beside", { parent: "new-place", properties: [heavy, size] })
      yield* page(odin, "Left behind", { parent: "old-place", properties: [weight] })
      const node = yield* page(odin, "Drafted", { parent: "old-place", properties: [weight, colour] })
      const version = ok(
        yield* odin.post("/nodes/drafted/versions", {
          properties: [
            { ...node.properties[1], value: "50" },
            { ...node.properties[0], name: "", value: "" },
            { name: "Made", type: "text", value: "by hand" }
          ]
        })
      )
      ok(yield* odin.post("/nodes/left-behind/versions", {}))
      ok(yield* odin.put("/nodes/new-place/nodes/drafted"))
      const read = ok(yield* odin.get("/nodes/drafted/versions/draft"))
      const there = ok(yield* odin.get("/nodes/drafted")).properties
      const fids = new Map(there.map((one: Answer["json"]) => [one.name, one.fid]))
      assert.deepStrictEqual(
        read.properties.map(({ fid, value }: Answer["json"]) => [fid, value]),
        [
          [fids.get("Weight"), "50"],
          [fids.get("Colour"), ""],
          [undefined, "by hand"]
        ]
      )
      assert.deepStrictEqual({ ...read, properties: version.properties }, version)
      ok(yield* odin.patch(`/nodes/drafted/versions/${version.id}/status`, { status: "applied" }))
      assert.sameMembers((yield* valuesOfChildren(odin, "new-place")).drafted ?? [], [
        "Weight=50",
        "Made=by hand",
        "Colour=",
        "Size="
      ])
      // The fields that were there are as they were.
      const [beside] = ok(yield* odin.get("/nodes/new-place/children")).nodes
      const { fid: _, ...weighed } = beside.properties.find((one: Answer["json"]) => one.name === "Weight")
      assert.deepStrictEqual(weighed, heavy)
      // The draft of a page that has stayed speaks of the same fields.
      const stayed = ok(yield* odin.get("/nodes/left-behind/versions/draft")).properties
      const [left] = ok(yield* odin.get("/nodes/old-place/children")).nodes
      assert.deepStrictEqual(stayed, left.properties)
      // A value that only the draft has gets a field of its own where there is none.
      yield* page(odin, "Third place")
      const sized = [{ fid: fids.get("Size"), name: "", value: "big" }]
      const { id } = ok(yield* odin.post("/nodes/drafted/versions", { properties: sized }))
      ok(yield* odin.patch("/nodes/drafted", { parent: "third-place" }))
      ok(yield* odin.patch(`/nodes/drafted/versions/${id}/status`, { status: "applied" }))
      assert.sameMembers((yield* valuesOfChildren(odin, "third-place")).drafted ?? [], [
        "Size=big",
        "Weight=",
        "Made="
      ])
      // A draft says nothing of fields that its page was given after it was written.
      for (const place of ["old-place", "third-place"]) {
        const known = ok(yield* odin.get(`/nodes/${place}`)).child_property_schema
        propertiesOf(
          yield* setChildFields(odin, place, [...known, { name: "Late", type: "text", sort: "9" }])
        )
      }
      ok(yield* odin.put("/nodes/third-place/nodes/left-behind"))
      const said = ok(yield* odin.get("/nodes/left-behind/versions/draft")).properties
      assert.deepStrictEqual(
        said.map(({ name }: Answer["json"]) => name),
        ["Weight"]
      )
    })
  )

  it.effect("of its applied versions stay as they were, and a draft that comes back deletes no fields", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "First home", { visibility: "published" })
      yield* page(odin, "Second home", { visibility: "published" })
      const common = [weight, colour, { ...size, value: "big" }]
      yield* page(odin, "Neighbour", { parent: "first-home", properties: common })
      const node = yield* page(odin, "Roamer", { parent: "first-home", properties: [weight, colour] })
      const { id } = ok(yield* odin.post("/nodes/roamer/versions", {}))
      const path = `/nodes/roamer/versions/${id}`
      ok(yield* odin.patch(`${path}/status`, { status: "applied" }))
      const history = ok(yield* odin.get(path))
      // It leaves out the other fields, which its author knew.
      const drafted = { properties: [{ ...node.properties[0], value: "9" }] }
      const draft = ok(yield* odin.post("/nodes/roamer/versions", drafted))
      for (const parent of ["second-home", "first-home"]) {
        ok(yield* odin.patch("/nodes/roamer/position", { parent }))
        assert.deepStrictEqual(ok(yield* odin.get(path)), history)
      }
      ok(yield* odin.patch(`/nodes/roamer/versions/${draft.id}/status`, { status: "applied" }))
      const values = yield* valuesOfChildren(odin, "first-home")
      assert.sameMembers(values.neighbour ?? [], ["Weight=4", "Colour=red", "Size=big"])
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
