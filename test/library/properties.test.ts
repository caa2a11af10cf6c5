/** The properties of one page. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldsMax, nameLength, valueLength } from "../../src/domain/library/LibraryLimits.ts"
import { NodeDraftExists, NodeNotFound } from "../../src/domain/library/Node.ts"
import {
  PropertyFieldIdMissing,
  PropertyFieldUnknown,
  TooManyPropertyFields
} from "../../src/domain/library/Property.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { type Answer, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem, problemOf } from "../support/problems.ts"
import {
  applied,
  currentVersionOf,
  draft,
  lastEvent,
  page,
  propertiesOf,
  setProperties,
  stored,
  valuesOf,
  valuesOfChildren
} from "./propertySupport.ts"

const weight = { name: "Weight", type: "number", value: "4", sort: "2" }
const colour = { name: "Colour", type: "text", value: "red", sort: "1" }

layer(People.layer)("the properties of a page", (it) => {
  it.effect("are in the order of the fields, and its siblings have the fields without values", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Stones")
      const first = yield* page(odin, "Granite", { parent: "stones" })
      yield* page(odin, "Marble", { parent: "stones" })
      assert.deepStrictEqual(first.properties, [])
      const made = propertiesOf(yield* setProperties(odin, "granite", [weight, colour]))
      assert.deepStrictEqual(
        made.map(({ fid: _, ...property }) => property),
        [colour, weight]
      )
      for (const { fid } of made) assert.match(fid, /^[0-9a-v]{19}[0g]$/)
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "stones"), {
        granite: ["Colour=red", "Weight=4"],
        marble: ["Colour=", "Weight="]
      })
      assert.deepStrictEqual(yield* lastEvent, { _tag: "NodeUpdated", id: first.id, slug: "granite" })

      // A sibling names the fields by their ids, which an empty name leaves as they are.
      const [colourId, weightId] = made.map(({ fid }) => fid)
      const answer = yield* setProperties(odin, "marble", [
        { fid: weightId, name: "", value: "5" },
        { fid: colourId, name: "Colour", value: "" }
      ])
      assert.deepStrictEqual(valuesOf(propertiesOf(answer)), ["Colour=", "Weight=5"])
      assert.deepStrictEqual(
        propertiesOf(answer).map(({ fid }) => fid),
        [colourId, weightId]
      )
      assert.deepStrictEqual((yield* valuesOfChildren(odin, "stones")).granite, ["Colour=red", "Weight=4"])
    })
  )

  it.effect("are replaced: fields that are left out are deleted, with the values of all siblings", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Trees")
      yield* page(odin, "Oak", { parent: "trees", properties: [weight, colour] })
      const elm = yield* page(odin, "Elm", { parent: "trees", properties: [{ name: "Weight", value: "9" }] })
      assert.deepStrictEqual(valuesOf(elm.properties), ["Colour=", "Weight=9"])
      const { fid } = elm.properties[1]
      const renamed = [{ fid, name: "Mass", value: "4", type: "text", sort: "0" }]
      assert.deepStrictEqual(propertiesOf(yield* setProperties(odin, "oak", renamed)), [
        { fid, name: "Mass", type: "text", value: "4", sort: "0" }
      ])
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "trees"), { oak: ["Mass=4"], elm: ["Mass=9"] })
      assert.deepStrictEqual(propertiesOf(yield* setProperties(odin, "oak", [])), [])
      assert.deepStrictEqual(yield* valuesOfChildren(odin, "trees"), { oak: [], elm: [] })
    })
  )

  it.effect("at the top level are of each page alone", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* page(odin, "Root one")
      yield* page(freya, "Root two")
      const [mine] = propertiesOf(yield* setProperties(odin, "root-one", [weight]))
      assert.isDefined(mine)
      const other = yield* page(odin, "Root three")
      assert.deepStrictEqual(other.properties, [])
      const [same] = propertiesOf(yield* setProperties(freya, "root-two", [{ ...weight, value: "1" }]))
      assert.notStrictEqual(same?.fid, mine.fid)
      assertProblem(
        yield* setProperties(freya, "root-two", [{ fid: mine.fid, name: "", value: "2" }]),
        PropertyFieldUnknown,
        { fid: mine.fid }
      )
      assertProblem(yield* setProperties(odin, "root-one", [weight]), PropertyFieldIdMissing, {
        name: "Weight",
        fid: mine.fid
      })
      // Who owns the page owns its fields.
      const renamed = [{ fid: same?.fid, name: "Mass", value: "1", type: "text", sort: "3" }]
      assert.deepStrictEqual(propertiesOf(yield* setProperties(freya, "root-two", renamed)), renamed as never)
      assert.deepStrictEqual(propertiesOf(yield* setProperties(freya, "root-two", [])), [])
      assert.deepStrictEqual(valuesOf(ok(yield* odin.get("/nodes/root-one")).properties), ["Weight=4"])
      // The list of all pages shows the fields of each.
      const { nodes } = ok(yield* odin.get("/nodes?visibility=draft&format=flat"))
      const shown = new Map(nodes.map((node: Answer["json"]) => [node.slug, valuesOf(node.properties)]))
      assert.deepStrictEqual([shown.get("root-one"), shown.get("root-three")], [["Weight=4"], []])
    })
  )

  it.effect("keep any value as it is, whatever its type", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Odd values")
      yield* page(odin, "Odd", { parent: "odd-values" })
      const list = ["number", "timestamp", "boolean", "text"].map((type) => ({
        name: type,
        type,
        sort: type,
        value: " what\r\never "
      }))
      const made = propertiesOf(yield* setProperties(odin, "odd", list))
      for (const { value } of made) assert.strictEqual(value, " what\never ")
      const retyped = made.map(({ fid, type, value }) => ({
        fid,
        name: "",
        value,
        type: type === "text" ? "number" : "text"
      }))
      for (const { value } of propertiesOf(yield* setProperties(odin, "odd", retyped))) {
        assert.strictEqual(value, " what\never ")
      }
    })
  )

  it.effect("may exchange their names", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Exchange")
      const { properties } = yield* page(odin, "Exchanged", {
        parent: "exchange",
        properties: [colour, weight]
      })
      const [a, b] = properties
      const swapped = [
        { fid: a.fid, name: "Weight", value: "a" },
        { fid: b.fid, name: "Colour", value: "b" }
      ]
      assert.deepStrictEqual(valuesOf(propertiesOf(yield* setProperties(odin, "exchanged", swapped))), [
        "Weight=a",
        "Colour=b"
      ])
    })
  )

  it.effect("are refused for what the list says, and then nothing changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Refusals")
      const { properties } = yield* page(odin, "Refused", {
        parent: "refusals",
        properties: [colour, weight]
      })
      const elsewhere = yield* page(odin, "Elsewhere", { parent: "refused", properties: [colour] })
      const [first, second] = properties.map(
        ({ fid, value }: { readonly fid: string; readonly value: string }) => ({
          fid,
          name: "",
          value
        })
      )
      const before = yield* stored
      const inChild = elsewhere.properties[0].fid
      for (const [list, problem, metadata] of [
        [[first, second, { name: "New", value: "" }], "property-type-missing", { name: "New" }],
        [[first, weight], "property-field-id-missing", { name: "Weight", fid: second.fid }],
        [
          [first, { name: "Weight", value: "" }],
          "property-field-id-missing",
          { name: "Weight", fid: second.fid }
        ],
        [[{ fid: nobody, name: "x", value: "" }], "property-field-unknown", { fid: nobody }],
        [[{ ...first, fid: inChild }], "property-field-unknown", { fid: inChild }],
        [[first, second, first], "property-field-twice", { fid: first.fid }],
        [[first, { ...second, name: "Colour" }], "property-name-taken", { name: "Colour" }],
        [[first, second, colour], "property-name-taken", { name: "Colour" }],
        [
          [
            { ...colour, name: "New" },
            { ...colour, name: " New " }
          ],
          "property-name-taken",
          { name: "New" }
        ]
      ] as const) {
        const answer = yield* setProperties(odin, "refused", list)
        assert.deepStrictEqual([problemOf(answer), answer.json.metadata], [problem, metadata])
        assert.strictEqual(answer.status, problem === "property-name-taken" ? 409 : 400)
      }
      assertProblem(yield* setProperties(odin, "nowhere", []), NodeNotFound, { node_slug: "nowhere" })
      assert.deepStrictEqual(yield* stored, before)
      assert.deepStrictEqual((yield* valuesOfChildren(odin, "refusals")).refused, ["Colour=red", "Weight=4"])
    })
  )

  it.effect("are refused where the body is not as described", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Bodies")
      const patch = (properties: unknown) => setProperties(odin, "bodies", properties)
      assertInvalid(yield* odin.patch("/nodes/bodies/properties", {}), "body properties")
      assertInvalid(yield* odin.patch("/nodes/bodies/properties", []), "body")
      assertInvalid(yield* patch([{ name: "x", type: "text" }]), "body properties.0.value")
      assertInvalid(yield* patch([{ value: "x", type: "text" }]), "body properties.0.name")
      assertInvalid(yield* patch([{ name: " ", value: "", type: "text" }]), "body properties.0.name")
      assertInvalid(yield* patch([{ name: "\u2800", value: "", fid: nobody }]), "body properties.0.name")
      assertInvalid(yield* patch([{ name: "x", value: "", type: "date" }]), "body properties.0.type")
      assertInvalid(yield* patch([{ name: "x", value: 4, type: "number" }]), "body properties.0.value")
      assertInvalid(yield* patch([{ name: "x", value: "", type: "text", sort: 4 }]), "body properties.0.sort")
      assertInvalid(yield* patch([{ name: "x", value: "", fid: "x" }]), "body properties.0.fid")
      assertInvalid(yield* patch([{ name: "x", value: "\0", type: "text" }]), "body properties.0.value")
    })
  )

  it.effect("have so many fields, and texts of such lengths, and no more", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* page(odin, "Limits")
      yield* page(odin, "Limited", { parent: "limits" })
      const set = (properties: unknown) => setProperties(odin, "limited", properties)
      const many = (count: number) =>
        Array.from({ length: count }, (_, n) => ({ name: `f${n}`, type: "text", value: "𝒳".repeat(50) }))
      assert.lengthOf(propertiesOf(yield* set(many(fieldsMax))), fieldsMax)
      assertInvalid(yield* set(many(fieldsMax + 1)), "body properties")
      // Those of a new page come to those that there are.
      const more = yield* odin.post("/nodes", {
        name: "One more",
        parent: "limits",
        properties: [{ name: "one more", type: "text", value: "" }]
      })
      assertProblem(more, TooManyPropertyFields, { maximum: fieldsMax })
      const one = {
        name: "𝒳".repeat(nameLength),
        type: "text",
        sort: "𝒳".repeat(nameLength),
        value: "𝒳".repeat(valueLength)
      }
      const [made] = propertiesOf(yield* set([one]))
      assert.deepStrictEqual({ ...one, fid: made?.fid }, made)
      for (const key of ["name", "sort", "value"] as const) {
        assertProblem(yield* set([{ ...one, [key]: `${one[key]}x` }]), InvalidRequest)
      }
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
      assertProblem(yield* setProperties(odin, "drafted", []), NodeDraftExists, { node_id: drafted.id })
      assert.strictEqual(yield* currentVersionOf(drafted), version)
      // The draft of one page does not keep its siblings from being changed.
      propertiesOf(yield* setProperties(odin, "free", [weight]))
      assert.isNull(yield* currentVersionOf(free))
      assert.strictEqual(yield* currentVersionOf(drafted), version)
      // Each change is later than the one before, whatever the clock does.
      const changed = Effect.map(odin.get("/nodes/free"), (answer) => Date.parse(ok(answer).updatedAt))
      const before = yield* changed
      propertiesOf(yield* setProperties(odin, "free", []))
      assert.isAbove(yield* changed, before)
    })
  )
})
