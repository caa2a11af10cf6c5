import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  CategoryNotFound,
  CategorySlugEmpty,
  CategoryTaken,
  CategoryUnknown
} from "../../src/domain/category/Category.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const body = { name: "A place", description: "", colour: "" }

layer(People.layer)("creating categories", (it) => {
  it.effect("is done by an administrator, and everybody reads the category", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* TestClock.adjust("1 minute")
      const created = ok(
        yield* odin.post("/categories", {
          name: "General Talk",
          description: "Anything",
          colour: "#abc",
          meta: { icon: { name: "chat", sizes: [1, 2] } },
          unknown: "ignored"
        })
      )
      assert.deepStrictEqual(created, {
        id: created.id,
        createdAt: "1970-01-01T00:01:00.000Z",
        updatedAt: "1970-01-01T00:01:00.000Z",
        misc: {},
        name: "General Talk",
        slug: "general-talk",
        description: "Anything",
        colour: "#abc",
        sort: 0,
        children: [],
        meta: { icon: { name: "chat", sizes: [1, 2] } },
        postCount: 0
      })
      assert.match(created.id, /^[0-9a-v]{19}[0g]$/)
      assert.deepStrictEqual(ok(yield* guest.get("/categories/general-talk")), created)
    })
  )

  it.effect("keeps a slug that is given, as the only address", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const created = yield* category(odin, "Nachrichten", { slug: "Neues & Altes/Ä" })
      assert.strictEqual(created.slug, "Neues & Altes/Ä")
      const found = ok(yield* guest.get(`/categories/${encodeURIComponent(created.slug)}`))
      assert.strictEqual(found.id, created.id)
      for (const other of ["nachrichten", created.id, "neues-altes-ä"]) {
        const answer = yield* guest.get(`/categories/${encodeURIComponent(other)}`)
        assertProblem(answer, CategoryNotFound, { category_slug: other })
      }
    })
  )

  it.effect("makes slugs from names in every script, however long they become", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assert.strictEqual((yield* category(odin, "Бабочки")).slug, "бабочки")
      const ligature = "\ufdfa"
      const long = yield* category(odin, ligature.repeat(200))
      assert.strictEqual([...long.slug].length <= 200, true)
      ok(yield* guest.get(`/categories/${encodeURIComponent(long.slug)}`))
      assertProblem(yield* odin.post("/categories", { ...body, name: "🦋" }), CategorySlugEmpty, {
        name: "🦋"
      })
      assert.strictEqual((yield* category(odin, "🦋", { slug: "butterflies" })).name, "🦋")
    })
  )

  it.effect("is a conflict if the name or slug is taken", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* category(odin, "Taken")
      assertProblem(yield* odin.post("/categories", { ...body, name: "Taken" }), CategoryTaken, {
        name: "Taken",
        slug: "taken"
      })
      assertProblem(yield* odin.post("/categories", { ...body, name: "TAKEN" }), CategoryTaken)
      assertProblem(
        yield* odin.post("/categories", { ...body, name: "Taken", slug: "else" }),
        CategoryTaken,
        { name: "Taken", slug: "else" }
      )
    })
  )

  it.effect("succeeds for one of many concurrent requests with the same name", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => odin.post("/categories", { ...body, name: "Raced" })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      assert.strictEqual(answers.filter(({ status }) => status === 409).length, 19)
    })
  )

  it.effect("shows children with their parent and at it, and refuses an unknown parent", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const parent = yield* category(odin, "Parent")
      const [first, second] = [
        yield* category(odin, "First child", { parent: parent.id }),
        yield* category(odin, "Second child", { parent: parent.id })
      ]
      yield* category(odin, "Grandchild", { parent: first.id })
      yield* open(odin, "in the second child", { category: second.id })
      assert.strictEqual(first.parent, parent.id)
      const read = ok(yield* guest.get("/categories/parent"))
      assert.deepStrictEqual(read.children, [first, { ...second, postCount: 1 }])
      assert.notProperty(read, "parent")
      assertProblem(
        yield* odin.post("/categories", { ...body, name: "Orphan", parent: nobody }),
        CategoryUnknown,
        { field: "parent", id: nobody }
      )
    })
  )

  it.effect("requires MANAGE_CATEGORIES, which is checked before the body", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assertProblem(yield* guest.post("/categories", "junk"), Unauthenticated, {})
      assertProblem(yield* freya.post("/categories", "junk"), Forbidden, {
        permission: "MANAGE_CATEGORIES"
      })
      const gardener = yield* signUp("gardener")
      yield* grant(gardener, "MANAGE_CATEGORIES")
      yield* category(gardener, "Garden")
    })
  )

  it.effect("names every field that is missing, empty, too long or of the wrong type", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assertInvalid(yield* odin.post("/categories", {}), "body name", "body description", "body colour")
      assertInvalid(yield* odin.post("/categories"), "body name", "body description", "body colour")
      assertInvalid(yield* odin.post("/categories", { ...body, name: "" }), "body name")
      assertInvalid(yield* odin.post("/categories", { ...body, name: "x".repeat(201) }), "body name")
      for (const slug of ["", ".", "..", " .. "]) {
        assertInvalid(yield* odin.post("/categories", { ...body, slug }), "body slug")
      }
      assertInvalid(yield* odin.post("/categories", { ...body, colour: null }), "body colour")
      assertInvalid(yield* odin.post("/categories", { ...body, parent: "no-id" }), "body parent")
      assertInvalid(yield* odin.post("/categories", { ...body, meta: [] }), "body meta")
      assertInvalid(
        yield* odin.post("/categories", { ...body, cover_image_asset_id: null }),
        "body cover_image_asset_id"
      )
      assertInvalid(
        yield* odin.post("/categories", { ...body, description: "x".repeat(2_001) }),
        "body description"
      )
      assertInvalid(yield* odin.post("/categories", { ...body, meta: { x: "x".repeat(8_192) } }), "body meta")
      assertInvalid(yield* odin.post("/categories", "[]"), "body")
    })
  )
})

layer(People.layer)("reading categories", (it) => {
  it.effect("lists them flat, by sort, then age, for guests too, who need no permission", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(ok(yield* guest.get("/categories")), { categories: [] })
      const first = yield* category(odin, "Zebras")
      const second = yield* category(odin, "Ants", { parent: first.id })
      const third = yield* category(odin, "Middle")
      const list = ok(yield* guest.get("/categories"))
      assert.deepStrictEqual(list, { categories: [first, second, third] })

      yield* sql`update categories set sort = -1 where id = ${third.id}`
      assert.deepStrictEqual(idsOf(ok(yield* guest.get("/categories")).categories), [
        third.id,
        first.id,
        second.id
      ])
      yield* sql`update roles set permissions = '{}' where name = 'Guest'`
      ok(yield* guest.get("/categories"))
      ok(yield* guest.get("/categories/ants"))
    })
  )

  it.effect("counts the published threads directly in a category", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const outer = yield* category(odin, "Outer")
      const inner = yield* category(odin, "Inner", { parent: outer.id })
      const counts = Effect.map(
        Effect.all([guest.get("/categories/outer"), guest.get("/categories/inner")]),
        (read) => read.map(({ json }) => json.postCount)
      )
      const thread = yield* open(freya, "counted", { category: inner.id })
      yield* open(freya, "a draft", { category: inner.id, visibility: "draft" })
      yield* open(freya, "uncategorised")
      assert.deepStrictEqual(yield* counts, [0, 1])
      ok(yield* freya.patch(`/threads/${thread.id}`, { category: outer.id }))
      assert.deepStrictEqual(yield* counts, [1, 0])
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "unlisted" }))
      assert.deepStrictEqual(yield* counts, [0, 0])
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "published", category: inner.id }))
      assert.deepStrictEqual(yield* counts, [0, 1])
      ok(yield* freya.delete(`/threads/${thread.id}`))
      assert.deepStrictEqual(yield* counts, [0, 0])
    })
  )
})
