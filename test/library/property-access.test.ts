/** Who may change properties and fields. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NodeNotYours } from "../../src/domain/library/Node.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, reinstate, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import {
  manager,
  page,
  propertiesOf,
  setChildFields,
  setFields,
  setProperties,
  stored,
  valuesOf,
  valuesOfChildren
} from "./propertySupport.ts"

const weight = { name: "Weight", type: "number", sort: "2" }

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

  it.effect("is renamed, given another type and place, and deleted by the owner of any page next to it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { free, mine, others, used } = yield* setUp("Common")
      const mass = { fid: used.fid, name: "Mass", type: "number", sort: "3", value: "5" }
      const changed = yield* setProperties(freya, mine, [mass, { fid: free.fid, name: "", value: "6" }])
      assert.deepStrictEqual(valuesOf(propertiesOf(changed)), ["Free=6", "Mass=5"])
      assert.deepStrictEqual(yield* others, ["Free=", "Mass=loki"])
      const { value: _, ...field } = mass
      const again = yield* setFields(freya, mine, [{ ...field, name: "Weight", sort: "0" }])
      assert.deepStrictEqual(ok(again).properties, [{ ...field, name: "Weight", sort: "0" }])
      assert.deepStrictEqual(yield* others, ["Weight=loki"])
      assert.deepStrictEqual(propertiesOf(yield* setProperties(freya, mine, [])), [])
      assert.deepStrictEqual(yield* others, [])
      assert.deepStrictEqual(yield* stored, [{ fields: 0, values: 0 }])
    })
  )

  it.effect("is deleted by leaving it out of a list of all fields, also at the top level", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { free, mine, others } = yield* setUp("Listed")
      const left = ok(yield* setFields(freya, mine, [free])).properties
      assert.deepStrictEqual(left, [free])
      assert.deepStrictEqual(yield* others, ["Free="])
      const one = yield* page(loki, "Loki's root", { properties: [{ ...weight, value: "1" }] })
      const two = yield* page(freya, "Freya's root")
      const fid = one.properties[0].fid
      propertiesOf(yield* setFields(freya, two.id, [{ ...weight, fid, name: "Mass" }]))
      const kept = yield* setProperties(loki, one.id, [{ fid, name: "", value: "2" }])
      assert.deepStrictEqual(valuesOf(propertiesOf(kept)), ["Mass=2"])
      assert.deepStrictEqual(propertiesOf(yield* setFields(freya, two.id, [])), [])
      assert.deepStrictEqual(propertiesOf(yield* setProperties(loki, one.id, [])), [])
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
