import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CategoryNotFound, CategoryTaken } from "../../src/domain/category/Category.ts"
import { CategoryCoverUnknown } from "../../src/domain/category/CategoryTree.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { asset, category, open } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const events = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ readonly event: object }>`select event from event_log order by id`, (rows) =>
    rows.map(({ event }) => event)
  )
)

layer(People.layer)("changing a category", (it) => {
  it.effect("changes what is sent, and when it was updated; the slug stays under a new name", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const created = yield* category(odin, "Before", { meta: { a: 1 }, description: "old", colour: "red" })
      const child = yield* category(odin, "Below", { parent: created.id })
      yield* TestClock.adjust("1 hour")
      const changed = ok(yield* odin.patch("/categories/before", { name: "  After ", unknown: 1 }))
      assert.deepStrictEqual(changed, {
        ...created,
        name: "After",
        updatedAt: "1970-01-01T01:00:00.000Z",
        children: [child]
      })
      assert.deepStrictEqual(ok(yield* guest.get("/categories/before")), changed)
      const all = { name: "All", slug: "All of it", description: "new", colour: "", meta: { b: [null] } }
      const second = ok(yield* odin.patch("/categories/before", all))
      assert.deepStrictEqual(second, { ...changed, ...all, updatedAt: "1970-01-01T01:00:00.001Z" })
      assertProblem(yield* guest.get("/categories/before"), CategoryNotFound, { category_slug: "before" })
      assertProblem(yield* odin.patch("/categories/before", {}), CategoryNotFound, {
        category_slug: "before"
      })
      assert.deepStrictEqual(ok(yield* guest.get("/categories/All%20of%20it")), second)
      assert.deepStrictEqual((yield* events).slice(-2), [
        { _tag: "CategoryUpdated", id: created.id, slug: "before" },
        { _tag: "CategoryUpdated", id: created.id, slug: "All of it" }
      ])
    })
  )

  it.effect("without a known field writes nothing", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const created = yield* category(odin, "Unchanged")
      const before = yield* events
      yield* TestClock.adjust("1 hour")
      for (const body of [{}, { parent: null, sort: 5, postCount: 9, id: nobody }, undefined]) {
        assert.deepStrictEqual(ok(yield* odin.patch("/categories/unchanged", body)), created)
      }
      assert.deepStrictEqual(yield* events, before)
    })
  )

  it.effect("is a conflict if another category has the name or slug, also for many at once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* category(odin, "First")
      yield* category(odin, "Second")
      assertProblem(yield* odin.patch("/categories/second", { name: "First" }), CategoryTaken, {
        name: "First",
        slug: "second"
      })
      assertProblem(yield* odin.patch("/categories/second", { slug: "first" }), CategoryTaken, {
        name: "Second",
        slug: "first"
      })
      ok(yield* odin.patch("/categories/second", { name: "Second", slug: "second" }))
      const others = yield* Effect.forEach(Array.from({ length: 10 }), (_, n) => category(odin, `Other ${n}`))
      const answers = yield* Effect.all(
        others.map(({ slug }) => odin.patch(`/categories/${slug}`, { slug: "wanted" })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(9).fill(409)])
    })
  )

  it.effect("shows in every answer with the category at once", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const parent = yield* category(odin, "Around")
      const place = yield* category(odin, "Shown", { parent: parent.id })
      const thread = yield* open(freya, "In it", { category: place.id })
      for (const path of [`/threads/${thread.id}`, "/threads"]) ok(yield* guest.get(path))
      const shown = ok(yield* odin.patch("/categories/shown", { colour: "#123456" }))
      const read = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.deepStrictEqual(read.category, shown)
      assert.strictEqual(shown.postCount, 1)
      const [listed] = ok(yield* guest.get("/threads?categories=shown")).threads
      assert.deepStrictEqual(listed.category, shown)
      assert.deepStrictEqual(ok(yield* guest.get("/categories/around")).children, [shown])
    })
  )

  it.effect("gives it another tag each time, even if the clock stands still", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* category(odin, "Tagged", { colour: "a" })
      let tag = yield* etagOf(guest, "/categories/tagged")
      const seen = new Set([tag])
      for (const colour of ["b", "a", "b"]) {
        ok(yield* odin.patch("/categories/tagged", { colour }))
        assert.strictEqual((yield* guest.get("/categories/tagged", ifNoneMatch(tag))).status, 200)
        tag = yield* etagOf(guest, "/categories/tagged")
        seen.add(tag)
      }
      assert.strictEqual(seen.size, 4)
      ok(yield* odin.patch("/categories/tagged", { slug: "retired" }))
      assertProblem(yield* guest.get("/categories/tagged", ifNoneMatch(tag)), CategoryNotFound)
    })
  )

  it.effect("names every field that is missing, empty, too long or of the wrong type", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* category(odin, "Checked")
      for (const [field, value] of [
        ["name", ""],
        ["name", null],
        ["name", "x".repeat(201)],
        ["slug", " "],
        ["slug", ".."],
        ["slug", null],
        ["description", null],
        ["description", "x".repeat(2_001)],
        ["colour", 1],
        ["colour", "x".repeat(101)],
        ["meta", null],
        ["meta", { x: "x".repeat(8_192) }],
        ["cover_image_asset_id", "no-id"],
        ["cover_image_asset_id", 1]
      ] as const) {
        assertInvalid(yield* odin.patch("/categories/checked", { [field]: value }), `body ${field}`)
      }
      assertInvalid(yield* odin.patch("/categories/checked", "[]"), "body")
    })
  )

  it.effect("moving and deleting require MANAGE_CATEGORIES, which is checked before all else", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* category(odin, "Guarded")
      for (const [method, path] of [
        ["patch", "/categories/guarded"],
        ["patch", "/categories/missing"],
        ["patch", "/categories/guarded/position"],
        ["delete", "/categories/guarded"],
        ["delete", "/categories/missing"]
      ] as const) {
        assertProblem(yield* guest[method](path, "junk"), Unauthenticated, {})
        assertProblem(yield* freya[method](path, "junk"), Forbidden, { permission: "MANAGE_CATEGORIES" })
      }
    })
  )
})

layer(People.layer)("the cover image of a category", (it) => {
  const [cover, original] = ["00000000000000000a0g", "00000000000000000b0g"]

  it.effect("is an asset that there is, and shows wherever the category does", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* asset(original)
      yield* asset(cover, original)
      const shown = {
        id: cover,
        filename: `${cover}-cover-png`,
        path: `/api/assets/${cover}-cover-png`,
        mime_type: "image/png",
        width: 4,
        height: 3
      }
      const parent = {
        ...shown,
        id: original,
        filename: `${original}-cover-png`,
        path: `/api/assets/${original}-cover-png`
      }
      const unknown = { cover_image_asset_id: nobody }
      const refused = yield* odin.post("/categories", {
        name: "Covered",
        description: "",
        colour: "",
        ...unknown
      })
      assertProblem(refused, CategoryCoverUnknown, unknown)
      const created = yield* category(odin, "Covered", { cover_image_asset_id: cover })
      assert.deepStrictEqual(created.cover_image, { ...shown, parent })
      assertProblem(yield* odin.patch("/categories/covered", unknown), CategoryCoverUnknown, unknown)

      const child = yield* category(odin, "Part", { parent: created.id })
      assert.notProperty(child, "cover_image")
      const changed = ok(yield* odin.patch("/categories/part", { cover_image_asset_id: original }))
      assert.deepStrictEqual(changed.cover_image, parent)
      assert.deepStrictEqual(ok(yield* guest.get("/categories/covered")), { ...created, children: [changed] })
      assert.deepStrictEqual(ok(yield* guest.get("/categories")).categories, [created, changed])
      const thread = yield* open(freya, "In it", { category: created.id })
      assert.deepStrictEqual(thread.category.cover_image, created.cover_image)
    })
  )

  it.effect("stays under other changes, and goes with null", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const named = ok(yield* odin.patch("/categories/covered", { name: "Still covered" }))
      assert.strictEqual(named.cover_image.id, cover)
      const tag = yield* etagOf(guest, "/categories/covered")
      const bare = ok(yield* odin.patch("/categories/covered", { cover_image_asset_id: null }))
      assert.notProperty(bare, "cover_image")
      assert.strictEqual((yield* guest.get("/categories/covered", ifNoneMatch(tag))).status, 200)
      assert.deepStrictEqual(ok(yield* guest.get("/categories/covered")), bare)
    })
  )
})
