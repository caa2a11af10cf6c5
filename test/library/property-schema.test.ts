/** The fields that siblings share. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldsMax } from "../../src/domain/library/LibraryLimits.ts"
import { NodeDraftExists, NodeNotFound } from "../../src/domain/library/Node.ts"
import {
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyNameTaken
} from "../../src/domain/library/Property.ts"
import * as People from "../support/people.ts"
import { Cast, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import {
  applied,
  currentVersionOf,
  draft,
  lastEvent,
  page,
  propertiesOf,
  setChildFields,
  setFields,
  stored,
  valuesOf,
  valuesOfChildren
} from "./propertySupport.ts"

const weight = { name: "Weight", type: "number", sort: "2" }
const colour = { name: "Colour", type: "text", sort: "1" }

layer(People.layer)("the fields of the children of a page", (it) => {
  it.effect("are all replaced, and answered in the order of their sort keys", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const stones = yield* page(odin, "Stones")
      yield* page(odin, "Granite", { parent: "stones" })
      const made = propertiesOf(yield* setChildFields(odin, "stones", [weight, colour]))
      assert.deepStrictEqual(
        made.map(({ fid: _, ...field }) => field),
        [colour, weight] as never
      )
      assert.deepStrictEqual(yield* lastEvent, { _tag: "NodeUpdated", id: stones.id, slug: "stones" })
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "stones"), { granite: ["Colour=", "Weight="] })

      const [first, second] = made
      yield* odin.patch("/nodes/granite/properties", {
        properties: [
          { ...first, value: "red" },
          { ...second, value: "4" }
        ]
      })
      // One is renamed and keeps its values, one is deleted with them, one is new under the name of that one.
      const next = [
        { ...first, name: "Tint", type: "boolean", sort: "9" },
        { ...weight, sort: "1" }
      ]
      const after = propertiesOf(yield* setChildFields(odin, "stones", next))
      assert.deepStrictEqual(after[1], { ...next[0] } as never)
      assert.notStrictEqual(after[0]?.fid, second?.fid)
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "stones"), { granite: ["Weight=", "Tint=red"] })
      const granite = yield* page(odin, "Basalt", { parent: "stones" })
      assert.deepStrictEqual(valuesOf(granite.properties), ["Weight=", "Tint="])

      assert.deepStrictEqual(propertiesOf(yield* setChildFields(odin, "stones", [])), [])
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "stones"), { granite: [], basalt: [] })
      assert.deepStrictEqual(yield* stored, [{ fields: 0, values: 0 }])
    })
  )

  it.effect("of a page without children are none, whatever is sent", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = yield* page(odin, "Childless")
      const before = yield* lastEvent
      for (const fields of [[weight], [{ ...weight, fid: nobody }], []]) {
        assert.deepStrictEqual(propertiesOf(yield* setChildFields(odin, id, fields)), [])
      }
      assert.deepStrictEqual(yield* lastEvent, before)
      const child = yield* page(odin, "First child", { parent: "childless" })
      assert.deepStrictEqual(child.properties, [])
    })
  )

  it.effect("are set whatever drafts and versions the page and its children have", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const parent = yield* page(odin, "Drafted parent")
      const child = yield* page(odin, "Drafted child", { parent: "drafted-parent" })
      const versions = [yield* applied(parent, odin), yield* applied(child, odin)]
      for (const one of [parent, child]) yield* draft(one, odin)
      assert.lengthOf(propertiesOf(yield* setChildFields(odin, "drafted-parent", [weight])), 1)
      assert.deepStrictEqual([yield* currentVersionOf(parent), yield* currentVersionOf(child)], versions)
    })
  )

  it.effect("are refused for what the list says, and then nothing changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Refusals")
      yield* page(odin, "Refused", { parent: "refusals" })
      yield* page(odin, "Elsewhere", { parent: "refused" })
      const set = (fields: unknown) => setChildFields(odin, "refusals", fields)
      const [first, second] = propertiesOf(yield* set([colour, weight]))
      const [elsewhere] = propertiesOf(yield* setChildFields(odin, "refused", [colour]))
      const before = yield* stored
      for (const fid of [nobody, elsewhere?.fid ?? ""]) {
        assertProblem(yield* set([{ ...weight, fid }]), PropertyFieldUnknown, { fid })
      }
      assertProblem(yield* set([first, second, first]), PropertyFieldTwice, { fid: first?.fid ?? "" })
      assertProblem(yield* set([first, second, weight]), PropertyNameTaken, { name: "Weight" })
      assertProblem(yield* set([first, { ...second, name: "Colour" }]), PropertyNameTaken, { name: "Colour" })
      assertProblem(yield* set([weight, weight]), PropertyNameTaken, { name: "Weight" })
      assertInvalid(yield* set({}), "body")
      assertInvalid(yield* set({ properties: [] }), "body")
      for (const [more, place] of [
        [{ name: undefined }, "name"],
        [{ type: undefined }, "type"],
        [{ sort: undefined }, "sort"],
        [{ name: "" }, "name"],
        [{ type: "date" }, "type"],
        [{ fid: "x" }, "fid"]
      ] as const) {
        assertInvalid(yield* set([{ ...weight, ...more }]), `body 0.${place}`)
      }
      assertProblem(yield* setChildFields(odin, "nowhere", []), NodeNotFound, { node_slug: "nowhere" })
      assert.deepStrictEqual(yield* stored, before)
      assert.deepStrictEqual(propertiesOf(yield* set([first, second])), [first, second] as never)
    })
  )

  it.effect("are a hundred and no more", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Hundred")
      yield* page(odin, "Of a hundred", { parent: "hundred" })
      const many = (count: number) => Array.from({ length: count }, (_, n) => ({ ...colour, name: `f${n}` }))
      const made = propertiesOf(yield* setChildFields(odin, "hundred", many(fieldsMax)))
      assert.lengthOf(made, fieldsMax)
      // With the same sort key, in the order in which they were added.
      assert.deepStrictEqual(
        made.map(({ name }) => name),
        many(fieldsMax).map(({ name }) => name)
      )
      assertInvalid(yield* setChildFields(odin, "hundred", many(fieldsMax + 1)), "body")
    })
  )

  it.effect("are ordered by code points", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Order")
      yield* page(odin, "Ordered", { parent: "order" })
      const sorts = ["", "1", "10", "2", "A", "a", "é", "\uffee", "𝒳"]
      const fields = sorts.toReversed().map((sort, n) => ({ name: `f${n}`, type: "text", sort }))
      assert.deepStrictEqual(
        propertiesOf(yield* setChildFields(odin, "order", fields)).map(({ sort }) => sort),
        sorts
      )
    })
  )
})

layer(People.layer)("the fields that a page shares with its siblings", (it) => {
  it.effect("are all replaced, for all of them", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Stones")
      const granite = yield* page(odin, "Granite", { parent: "stones" })
      yield* page(odin, "Marble", { parent: "stones", properties: [{ ...weight, value: "4" }] })
      const [known] = propertiesOf(yield* setChildFields(odin, "stones", [weight]))
      assert.isDefined(known)
      const made = propertiesOf(yield* setFields(odin, "granite", [colour]))
      assert.deepStrictEqual(
        made.map(({ name }) => name),
        ["Colour"]
      )
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "stones"), {
        granite: ["Colour="],
        marble: ["Colour="]
      })
      assert.deepStrictEqual(yield* lastEvent, { _tag: "NodeUpdated", id: granite.id, slug: "granite" })
      assert.deepStrictEqual(propertiesOf(yield* setFields(odin, "marble", [])), [])
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "stones"), { granite: [], marble: [] })
    })
  )

  it.effect("are its own at the top level", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Root one")
      yield* page(odin, "Root two")
      const made = propertiesOf(yield* setFields(odin, "root-one", [weight]))
      assertProblem(yield* setFields(odin, "root-two", made), PropertyFieldUnknown)
      assert.deepStrictEqual(propertiesOf(yield* setFields(odin, "root-two", [])), [])
      assert.deepStrictEqual(propertiesOf(yield* setFields(odin, "root-one", made)), made)
      const child = yield* page(odin, "Child", { parent: "root-one" })
      assert.deepStrictEqual(child.properties, [])
      const third = yield* page(odin, "Root three")
      assert.deepStrictEqual(third.properties, [])
    })
  )

  it.effect("stay as they are while the page has a draft, and then make it no version any more", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Versions")
      const drafted = yield* page(odin, "Drafted", { parent: "versions" })
      const free = yield* page(odin, "Free", { parent: "versions" })
      const version = yield* applied(drafted, odin)
      yield* applied(free, odin)
      yield* draft(drafted, odin)
      assertProblem(yield* setFields(odin, "drafted", [weight]), NodeDraftExists, { node_id: drafted.id })
      assert.strictEqual(yield* currentVersionOf(drafted), version)
      propertiesOf(yield* setFields(odin, "free", [weight]))
      assert.isNull(yield* currentVersionOf(free))
      assert.strictEqual(yield* currentVersionOf(drafted), version)
    })
  )

  it.effect("are refused like those of children", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Lone")
      const set = (fields: unknown) => setFields(odin, "lone", fields)
      assertProblem(yield* set([{ ...weight, fid: nobody }]), PropertyFieldUnknown, { fid: nobody })
      assertProblem(yield* set([weight, weight]), PropertyNameTaken, { name: "Weight" })
      assertInvalid(yield* set([{ ...weight, type: "date" }]), "body 0.type")
      assertProblem(yield* setFields(odin, "nowhere", []), NodeNotFound, { node_slug: "nowhere" })
    })
  )
})
