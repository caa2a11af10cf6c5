/** Who may change properties and fields. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fieldsSharedMax } from "../../src/domain/library/LibraryLimits.ts"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { NodeNotYours } from "../../src/domain/library/NodeProblems.ts"
import { PropertyFieldsNotYours, TooManyPropertyFields } from "../../src/domain/library/Property.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { type Answer, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, reinstate, signUp, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import {
  manager,
  page,
  propertiesOf,
  setChildFields,
  setFields,
  setProperties,
  valuesOf,
  valuesOfChildren
} from "./propertySupport.ts"

const weight = { name: "Weight", type: "number", sort: "2" }

/** What the audit log says of fields, newest first. */
const audited = Effect.gen(function* () {
  const { odin } = yield* Cast
  const { events } = ok(yield* odin.get("/admin/audit-events?types=node_property_fields_deleted"))
  return events.map(({ enacted_by, names, node_id, values }: Answer["json"]) => ({
    by: enacted_by.id,
    node_id,
    names,
    values
  }))
})

/** The three operations, each of which makes a change that the owner of the page may make. */
const operations: ReadonlyArray<
  readonly [string, (by: Person, slug: string) => ReturnType<typeof setFields>]
> = [
  ["properties", (by, slug) => setProperties(by, slug, [{ ...weight, value: "1" }])],
  ["property-schema", (by, slug) => setFields(by, slug, [weight])],
  ["children/property-schema", (by, slug) => setChildFields(by, slug, [weight])]
]

layer(People.layer)("the properties and fields of a page", (it) => {
  it.effect("are changed by its owner, managers of the library and administrators", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const keeper = yield* manager
      yield* page(odin, "Place", { visibility: "published" })
      for (const visibility of ["draft", "unlisted", "review", "published"]) {
        for (const [name, change] of operations) {
          // A manager changes pages of others that they may not see.
          for (const by of [freya, keeper, odin]) {
            const owner = visibility === "published" ? keeper : freya
            const may = visibility === "published" && by === freya ? owner : by
            const parent = yield* page(owner, `${name} ${visibility} ${by.id}`, {
              parent: "place",
              visibility
            })
            yield* page(owner, `in ${parent.name}`, { parent: parent.id })
            for (const other of [loki, tyr]) {
              assertProblem(yield* change(other, parent.id), NodeNotYours)
            }
            assertProblem(yield* change(guest, parent.id), Unauthenticated)
            assert.lengthOf(propertiesOf(yield* change(may, parent.id)), 1)
            yield* odin.patch("/nodes/place/children/property-schema", [])
          }
        }
      }
      for (const [, change] of operations) assertProblem(yield* change(guest, "nowhere"), Unauthenticated)
    })
  )

  it.effect("are not changed by suspended owners", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* page(loki, "Suspended")
      yield* suspend(loki)
      for (const [, change] of operations) {
        assertProblem(yield* change(loki, "suspended"), AccountSuspended)
      }
      yield* reinstate(loki)
    })
  )
})

layer(People.layer)("a field that pages of others have values for", (it) => {
  /** A page of Odin with one of Freya and one of Loki in it, who has a value for the first of two fields. */
  const setUp = Effect.fnUntraced(function* (name: string) {
    const { freya, loki, odin } = yield* Cast
    yield* page(odin, name, { visibility: "published" })
    const parent = name.toLowerCase()
    yield* page(freya, `${name} of freya`, { parent })
    yield* page(loki, `${name} of loki`, { parent, visibility: "unlisted" })
    const [used, free] = propertiesOf(
      yield* setChildFields(odin, parent, [
        { name: "Used", type: "text", sort: "1" },
        { name: "Free", type: "text", sort: "2" }
      ])
    )
    assert.isDefined(used)
    assert.isDefined(free)
    const list = [
      { fid: used.fid, name: "", value: "loki" },
      { fid: free.fid, name: "", value: "" }
    ]
    propertiesOf(yield* setProperties(loki, `${parent}-of-loki`, list))
    const others = Effect.map(valuesOfChildren(loki, parent), (values) => values[`${parent}-of-loki`])
    return { parent, used, free, others, mine: `${parent}-of-freya` }
  })

  it.effect(
    "keeps name, type, place and the values of others, whatever the list of a page next to it says",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const { free, mine, others, used } = yield* setUp("Common")
        const mass = { fid: used.fid, name: "Mass", type: "number", sort: "3", value: "5" }
        const changed = yield* setProperties(freya, mine, [mass, { fid: free.fid, name: "", value: "6" }])
        assert.deepStrictEqual(propertiesOf(changed), [
          { ...used, value: "5" },
          { ...free, value: "6" }
        ])
        assert.deepStrictEqual(yield* others, ["Used=loki", "Free="])
        // What is left out is lost by this page alone, and what is new is added beside the rest.
        const added = yield* setProperties(freya, mine, [{ ...weight, value: "7" }])
        assert.deepStrictEqual(valuesOf(propertiesOf(added)).toSorted(), ["Free=", "Used=", "Weight=7"])
        assert.sameMembers((yield* others) ?? [], ["Used=loki", "Free=", "Weight="])
        ok(yield* freya.patch(`/nodes/${mine}`, { properties: [] }))
        assert.sameMembers((yield* others) ?? [], ["Used=loki", "Free=", "Weight="])
        assert.deepStrictEqual(yield* audited, [])
      })
  )

  it.effect("keeps all that while pages are created beside it or come there", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { others, parent, used } = yield* setUp("Guests")
      const mass = { fid: used.fid, name: "Mass", type: "number", sort: "3", value: "5" }
      const made = yield* page(freya, "New guest", { parent, properties: [mass] })
      assert.deepInclude(made.properties, { ...used, value: "5" })
      const root = yield* page(freya, "Late guest", {
        properties: [{ name: "Used", type: "text", value: "1" }]
      })
      const renamed = { ...root.properties[0], name: "Worn", type: "number", sort: "7" }
      const moved = ok(yield* freya.patch(`/nodes/${root.id}`, { parent, properties: [renamed] }))
      assert.deepInclude(moved.properties, { ...used, value: "1" })
      assert.deepStrictEqual(yield* others, ["Used=loki", "Free="])
    })
  )

  it.effect(
    "is changed by a list of all fields only if that adds some, unless it comes from who owns them",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const { free, mine, others, used } = yield* setUp("Listed")
        for (const list of [
          [],
          [free],
          [{ ...used, name: "Mass" }, free],
          [{ ...used, type: "number" }, free],
          [{ ...used, sort: "9" }, free]
        ]) {
          assertProblem(yield* setFields(freya, mine, list), PropertyFieldsNotYours)
        }
        const added = propertiesOf(yield* setFields(freya, mine, [used, free, { ...weight, sort: "9" }]))
        assert.deepStrictEqual(
          added.map(({ name }) => name),
          ["Used", "Free", "Weight"]
        )
        assert.deepStrictEqual(yield* others, ["Used=loki", "Free=", "Weight="])
      })
  )

  it.effect(
    "is changed and deleted by who owns the page above and by managers, which the audit log tells",
    () =>
      Effect.gen(function* () {
        const { loki, odin } = yield* Cast
        const owner = yield* signUp("owner")
        const keeper = yield* manager
        for (const [by, mark] of [
          [owner, "Owned"],
          [keeper, "Kept"]
        ] as const) {
          const parent = yield* page(owner, mark)
          ok(yield* odin.patch(`/nodes/${parent.slug}/visibility`, { visibility: "published" }))
          const theirs = yield* page(loki, `${mark} of loki`, {
            parent: parent.id,
            properties: [
              { name: "a", type: "text", value: "1" },
              { name: "b", type: "text", value: "2" },
              { name: "c", type: "text", value: "" }
            ]
          })
          const beside = yield* page(by, `${mark} beside`, { parent: parent.id })
          const [a, b] = theirs.properties
          const renamed = propertiesOf(
            yield* setProperties(by, beside.id, [
              { fid: a.fid, name: "A", type: "number", sort: "1", value: "" },
              b
            ])
          )
          assert.deepStrictEqual(valuesOf(renamed).toSorted(), ["A=", "b=2"])
          // The field that nobody had a value for is no loss.
          const before = yield* audited
          assert.notInclude(
            before.map(({ node_id }: { readonly node_id: string }) => node_id),
            parent.id
          )
          ok(yield* setFields(by, beside.id, [{ fid: b.fid, name: "b", type: "text", sort: "" }]))
          const told = { by: by.id, node_id: parent.id, names: ["A"], values: 1 }
          assert.deepStrictEqual(yield* audited, [told, ...before])
          ok(yield* setProperties(by, beside.id, []))
          const again = { ...told, names: ["b"], values: 2 }
          assert.deepStrictEqual(yield* audited, [again, told, ...before])
        }
      })
  )

  it.effect("is joined by at most fifty others of those who do not own it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { mine, parent } = yield* setUp("Room")
      const many = (count: number) =>
        Array.from({ length: count }, (_, n) => ({ name: `f${n}`, type: "text", value: "x", sort: "" }))
      const full = { maximum: fieldsSharedMax }
      assertProblem(yield* setProperties(freya, mine, many(fieldsSharedMax - 1)), TooManyPropertyFields, full)
      assertProblem(
        yield* freya.post("/nodes", { name: "Wide", parent, properties: many(fieldsSharedMax - 1) }),
        TooManyPropertyFields,
        full
      )
      const root = yield* page(freya, "Wide root", { properties: many(fieldsSharedMax - 1) })
      assertProblem(yield* freya.put(`/nodes/${parent}/nodes/${root.id}`), TooManyPropertyFields, full)
      propertiesOf(yield* setProperties(freya, mine, many(fieldsSharedMax - 2)))
      const known = ok(yield* odin.get(`/nodes/${parent}`)).child_property_schema
      const more = [...known, { name: "more", type: "text", sort: "" }]
      assertProblem(yield* setFields(freya, mine, more), TooManyPropertyFields, full)
      assert.lengthOf(propertiesOf(yield* setChildFields(odin, parent, more)), fieldsSharedMax + 1)
      // Who adds none may set the values of all.
      const all = ok(yield* freya.get(`/nodes/${mine}`)).properties
      assert.lengthOf(propertiesOf(yield* setProperties(freya, mine, all)), fieldsSharedMax + 1)
    })
  )

  it.effect("is joined by none of those who may not see the page above", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { free, mine, others, parent, used } = yield* setUp("Withdrawn")
      ok(yield* odin.patch(`/nodes/${parent}/visibility`, { visibility: "draft" }))
      const fresh = { ...weight, value: "1" }
      assertProblem(yield* setProperties(freya, mine, [fresh]), PropertyFieldsNotYours)
      assertProblem(yield* freya.patch(`/nodes/${mine}`, { properties: [fresh] }), PropertyFieldsNotYours)
      assertProblem(yield* setFields(freya, mine, [used, free, weight]), PropertyFieldsNotYours)
      // The values of her own page are hers.
      const set = propertiesOf(yield* setProperties(freya, mine, [{ fid: used.fid, name: "", value: "1" }]))
      assert.deepStrictEqual(valuesOf(set), ["Used=1", "Free="])
      ok(yield* odin.patch(`/nodes/${parent}/visibility`, { visibility: "published" }))
      assert.deepStrictEqual(yield* others, ["Used=loki", "Free="])
    })
  )

  it.effect(
    "is unknown, as the page above is, to those who may not see that page, by every way into it",
    () =>
      Effect.gen(function* () {
        const { freya, odin } = yield* Cast
        const { parent } = yield* setUp("Hidden")
        ok(yield* odin.patch(`/nodes/${parent}/visibility`, { visibility: "draft" }))
        const node = yield* page(freya, "Curious", { visibility: "review" })
        const { id } = ok(yield* odin.get(`/nodes/${parent}`))
        for (const mark of [parent, id]) {
          for (const answer of [
            yield* freya.post("/nodes", { name: "Curious child", parent: mark }),
            yield* freya.post("/nodes", {
              name: "Used",
              parent: mark,
              properties: [{ name: "Used", value: "" }]
            }),
            yield* freya.patch(`/nodes/${node.id}`, { parent: mark }),
            yield* freya.patch(`/nodes/${node.id}`, {
              parent: mark,
              properties: [{ name: "Used", value: "" }]
            }),
            yield* freya.patch(`/nodes/${node.id}/position`, { parent: mark }),
            yield* freya.put(`/nodes/${mark}/nodes/${node.id}`),
            yield* freya.delete(`/nodes/${mark}/nodes/${node.id}`),
            yield* freya.delete(`/nodes/${node.id}?target_node=${mark}`)
          ]) {
            assertProblem(answer, NodeNotFound, { node_slug: mark })
            assert.notInclude(answer.text, "Used")
          }
        }
        // Who may change it may put pages into it, without reading it.
        const keeper = yield* signUp("hidden-keeper")
        yield* grant(keeper, "MANAGE_LIBRARY")
        yield* page(keeper, "Kept inside", { parent })
        assert.notProperty(ok(yield* freya.get(`/nodes/${node.id}`)), "parent")
      })
  )

  it.effect("is not changed by those who own no page next to it", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const { mine, others, parent, used } = yield* setUp("Guarded")
      yield* page(freya, "Inside", { parent: mine })
      for (const slug of [mine, "guarded-of-loki", parent]) {
        assertProblem(yield* setFields(tyr, slug, []), NodeNotYours)
        assertProblem(yield* setProperties(tyr, slug, []), NodeNotYours)
        assertProblem(yield* setChildFields(tyr, slug, []), NodeNotYours)
      }
      // Who owns a page beside the others has no right to the others, nor to what contains them.
      assertProblem(yield* setFields(freya, "guarded-of-loki", []), NodeNotYours)
      assertProblem(yield* setChildFields(freya, parent, []), NodeNotYours)
      assert.deepStrictEqual(yield* others, ["Used=loki", "Free="])
      propertiesOf(yield* setChildFields(odin, parent, [{ ...used, name: "Renamed" }]))
      assert.deepStrictEqual(yield* others, ["Renamed=loki"])
    })
  )
})
