/** Who may change properties and fields. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NodeNotYours } from "../../src/domain/library/Node.ts"
import { PropertyFieldShared } from "../../src/domain/library/Property.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
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
  const listOf = (fields: ReadonlyArray<{ readonly fid: string }>, ...indices: ReadonlyArray<number>) =>
    indices.map((index) => ({ fid: fields[index]?.fid, name: "", value: `new ${index}` }))

  /** A page of Odin with one of Freya and one of Loki in it, who has a value for the first of two fields. */
  const setUp = Effect.fnUntraced(function* (name: string) {
    const { freya, loki, odin } = yield* Cast
    yield* page(odin, name, { visibility: "published" })
    const parent = name.toLowerCase()
    yield* page(odin, `${name} of odin`, { parent })
    yield* page(freya, `${name} of freya`, { parent })
    yield* page(loki, `${name} of loki`, { parent })
    const fields = propertiesOf(
      yield* setChildFields(odin, parent, [
        { name: "Used", type: "text", sort: "1" },
        { name: "Free", type: "text", sort: "2" }
      ])
    )
    propertiesOf(
      yield* setProperties(
        loki,
        `${parent}-of-loki`,
        listOf(fields, 0, 1).map((entry, n) => ({ ...entry, value: n === 0 ? "loki" : "" }))
      )
    )
    return { parent, fields, mine: `${parent}-of-freya` }
  })

  it.effect("is left as it is by leaving it out of the properties of a page", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { fields, mine, parent } = yield* setUp("Left")
      propertiesOf(yield* setProperties(freya, mine, listOf(fields, 0, 1)))
      const answer = yield* setProperties(freya, mine, [])
      assert.deepStrictEqual(valuesOf(propertiesOf(answer)), ["Used="])
      assert.deepStrictEqual(yield* valuesOfChildren(loki, parent), {
        "left-of-loki": ["Used=loki"]
      })
    })
  )

  it.effect("is not renamed, given another type or place, or deleted by the owners of other pages", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { fields, mine } = yield* setUp("Guarded")
      const [used, free] = fields
      const metadata = { fid: used?.fid ?? "", name: "Used" }
      const before = yield* stored
      for (const change of [{ name: "Other" }, { type: "number" }, { sort: "9" }]) {
        const list = [{ fid: used?.fid, name: "", value: "", ...change }, ...listOf(fields, 1)]
        assertProblem(yield* setProperties(freya, mine, list), PropertyFieldShared, metadata)
        assertProblem(
          yield* setFields(freya, mine, [{ ...used, ...change }, free]),
          PropertyFieldShared,
          metadata
        )
      }
      assertProblem(yield* setFields(freya, mine, []), PropertyFieldShared, metadata)
      assertProblem(yield* setFields(freya, mine, [free]), PropertyFieldShared, metadata)
      assert.deepStrictEqual(yield* stored, before)
      // The other field is free, and values are one's own.
      propertiesOf(yield* setFields(freya, mine, [used, { ...free, name: "Renamed" }]))
      assert.deepStrictEqual(valuesOf(propertiesOf(yield* setProperties(freya, mine, listOf(fields, 0)))), [
        "Used=new 0"
      ])
    })
  )

  it.effect("is changed by the owner of the page that contains them, and by managers", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const keeper = yield* manager
      for (const by of [odin, keeper]) {
        const name = `Managed ${by.id}`
        yield* page(freya, name)
        const parent = name.toLowerCase().replace(" ", "-")
        const one = yield* page(loki, `${name} one`, { parent, properties: [{ ...weight, value: "1" }] })
        const fid = one.properties[0].fid
        propertiesOf(yield* setFields(by, one.id, [{ ...weight, fid, name: "Mass" }]))
        // The owner of the page that contains it.
        propertiesOf(yield* setChildFields(freya, parent, [{ ...weight, fid, sort: "3" }]))
        const own = yield* page(freya, `${name} two`, { parent })
        assert.deepStrictEqual(propertiesOf(yield* setProperties(freya, own.id, [])), [])
      }
    })
  )

  it.effect("at the top level is changed by managers only", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const one = yield* page(loki, "Loki's root", { properties: [{ ...weight, value: "1" }] })
      const two = yield* page(freya, "Freya's root")
      const fid = one.properties[0].fid
      assertProblem(yield* setFields(freya, two.id, []), PropertyFieldShared, { fid, name: "Weight" })
      // It is the owner's own as long as no page of others has a value for it.
      assert.deepStrictEqual(propertiesOf(yield* setProperties(loki, one.id, [])), [])
      const again = propertiesOf(yield* setProperties(loki, one.id, [{ ...weight, value: "1" }]))
      assert.deepStrictEqual(propertiesOf(yield* setFields(odin, two.id, [])), [])
      assert.lengthOf(again, 1)
    })
  )
})
