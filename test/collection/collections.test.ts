import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  CollectionNotFound,
  CollectionNotYours,
  collectionsMax,
  TooManyCollections
} from "../../src/domain/collection/Collection.ts"
import { CollectionStore } from "../../src/domain/collection/CollectionStore.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { create } from "./support.ts"

layer(People.layer)("a collection", (it) => {
  it.effect("is created empty, and read as it was created", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const made = yield* create(freya, "  Worth\tkeeping  ", { description: "Read\r\nthese", extra: 1 })
      const { id } = made
      assert.match(id, /^[0-9a-v]{20}$/)
      assert.deepStrictEqual(Object.keys(made).sort(), [
        ...["createdAt", "description", "has_queried_item", "id", "item_count", "misc", "name"],
        ...["owner", "slug", "updatedAt"]
      ])
      assert.strictEqual(made.name, "Worth keeping")
      assert.strictEqual(made.description, "Read\nthese")
      assert.strictEqual(made.slug, `${id}-worth-keeping`)
      assert.strictEqual(made.item_count, 0)
      assert.strictEqual(made.has_queried_item, false)
      assert.strictEqual(made.owner.handle, "freya")
      assert.isNotEmpty(made.owner.roles)
      const { has_queried_item: _, item_count: __, ...common } = made
      assert.deepStrictEqual(ok(yield* guest.get(`/collections/${id}`)), { ...common, items: [] })
    })
  )

  it.effect("needs a name that can be seen, and takes no more than its limits", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assertInvalid(yield* freya.post("/collections", {}), "body name")
      for (const name of ["", " \t", "\u200b", "x".repeat(256), null, 1]) {
        assertInvalid(yield* freya.post("/collections", { name }), "body name")
      }
      const long = "\u{1d30c}".repeat(255)
      const made = yield* create(freya, long, { description: "é".repeat(2000) })
      assert.strictEqual(made.name, long)
      assert.strictEqual(Array.from(made.description).length, 2000)
      const wordy = "ﷺ".repeat(255)
      assert.isAtMost(Array.from((yield* create(freya, wordy)).slug).length, 121)
      const tooLong = { name: "x", description: "x".repeat(2001) }
      assertInvalid(yield* freya.post("/collections", tooLong), "body description")
    })
  )

  it.effect("has an address of its own, whatever its name, and a slug that nobody else chose", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const [first, second] = [yield* create(freya, "c1"), yield* create(freya, "c1", { slug: "mine" })]
      assert.notStrictEqual(first.id, second.id)
      assert.strictEqual(second.slug, `${second.id}-c1`)
      assert.strictEqual((yield* create(freya, "!?")).slug.length, 20)
      assert.match((yield* create(freya, "Бабочки")).slug, /-бабочки$/)
    })
  )

  it.effect("is found by its id, its slug, any text after its id, and the oldest by the slug alone", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const made = yield* create(freya, "Found by its slug")
      yield* TestClock.adjust("1 second")
      yield* create(loki, "Found by its slug")
      for (const mark of [made.id, made.slug, `${made.id}-other`, `${made.id}-`, "found-by-its-slug"]) {
        assert.strictEqual(ok(yield* guest.get(`/collections/${encodeURIComponent(mark)}`)).id, made.id, mark)
      }
      const unknown = [nobody, `${made.id}x`, made.id.slice(1), "no-such-slug", `${nobody}-found-by-its-slug`]
      for (const mark of unknown) {
        const answer = yield* guest.get(`/collections/${mark}`)
        assertProblem(answer, CollectionNotFound, { collection_mark: mark })
      }
    })
  )

  it.effect("is changed field by field, and its slug follows its name", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const made = yield* create(freya, "Before", { description: "First" })
      const path = `/collections/${made.id}`
      yield* TestClock.adjust("1 second")
      const renamed = ok(yield* freya.patch(path, { name: "After all" }))
      assert.strictEqual(renamed.slug, `${made.id}-after-all`)
      assert.strictEqual(renamed.description, "First")
      assert.isAbove(Date.parse(renamed.updatedAt), Date.parse(made.updatedAt))
      assert.strictEqual(renamed.createdAt, made.createdAt)
      // The address of before still names it.
      assert.strictEqual(ok(yield* guest.get(`/collections/${made.slug}`)).name, "After all")
      const described = ok(yield* freya.patch(path, { description: "Second" }))
      assert.strictEqual(described.name, "After all")
      assert.strictEqual(described.description, "Second")
      assert.notProperty(ok(yield* freya.patch(path, { description: "  " })), "description")
      yield* TestClock.adjust("1 second")
      const same = ok(yield* freya.patch(path, { slug: "other", unknown: true }))
      assert.strictEqual(same.updatedAt, described.updatedAt)
      assert.strictEqual(same.slug, renamed.slug)
      for (const [field, value] of [
        ["name", ""],
        ["name", null],
        ["description", null],
        ["description", "x".repeat(2001)]
      ] as const) {
        assertInvalid(yield* freya.patch(path, { [field]: value }), `body ${field}`)
      }
    })
  )

  it.effect(
    "is changed and deleted by its owner and by who holds MANAGE_COLLECTIONS, and by nobody else",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin, tyr } = yield* Cast
        const keeper = yield* signUp("keeper")
        yield* grant(keeper, "MANAGE_COLLECTIONS")
        const made = yield* create(freya, "Whose")
        const path = `/collections/${made.id}`
        for (const stranger of [loki, tyr]) {
          assertProblem(yield* stranger.patch(path, { name: "Mine" }), CollectionNotYours)
          assertProblem(yield* stranger.patch(path, {}), CollectionNotYours)
          assertProblem(yield* stranger.delete(path), CollectionNotYours)
        }
        assertProblem(yield* guest.patch(path, { name: "Mine" }), Unauthenticated)
        assertProblem(yield* guest.delete(path), Unauthenticated)
        assert.strictEqual(ok(yield* guest.get(path)).name, "Whose")
        assert.strictEqual(ok(yield* keeper.patch(path, { name: "Kept" })).owner.handle, "freya")
        ok(yield* odin.patch(path, { name: "Odin's" }))
        assertProblem(yield* loki.patch(`/collections/${nobody}`, {}), CollectionNotFound)
        assertProblem(yield* loki.delete(`/collections/${nobody}`), CollectionNotFound)

        const gone = yield* freya.delete(path)
        assert.strictEqual(gone.status, 200)
        assert.strictEqual(gone.text, "")
        assertProblem(yield* freya.get(path), CollectionNotFound)
        assertProblem(yield* freya.delete(path), CollectionNotFound)
        const another = yield* create(freya, "Another")
        assert.strictEqual((yield* keeper.delete(`/collections/${another.id}`)).status, 200)
      })
  )

  it.effect("is created by who holds CREATE_COLLECTION, and read by who holds READ_COLLECTION", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const made = yield* create(freya, "Permitted")
      const without = (permission: string) =>
        sql`update roles set permissions = array_remove(permissions, ${permission}) where name in ('Guest', 'Member')`
      assertProblem(yield* guest.post("/collections", { name: "x" }), Unauthenticated)
      yield* without("CREATE_COLLECTION")
      assertProblem(yield* freya.post("/collections", { name: 1 }), Forbidden, {
        permission: "CREATE_COLLECTION"
      })
      for (const [permission, path] of [
        ["LIST_COLLECTIONS", "/collections"],
        ["READ_COLLECTION", `/collections/${made.id}`]
      ] as const) {
        ok(yield* guest.get(path))
        yield* without(permission)
        assertProblem(yield* guest.get(path), Forbidden, { permission })
        assertProblem(yield* freya.get(path), Forbidden, { permission })
      }
    })
  )
})

layer(People.layer)("the number of collections of an account", (it) => {
  it.effect("is limited, also under 50 parallel requests, and deleting one makes room", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into collections (id, created_at, updated_at, owner_id, name, slug)
        select 'c' || lpad(n::text, 18, '0') || '0', 'epoch', 'epoch', ${freya.id}, 'n', ''
        from generate_series(1, ${collectionsMax - 10}::int) n`
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => freya.post("/collections", { name: "one more" })),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.strictEqual(refused.length, 40)
      for (const answer of refused) assertProblem(answer, TooManyCollections, { maximum: collectionsMax })
      const list = ok(yield* guest.get("/collections?account_handle=freya"))
      assert.strictEqual(list.total_pages, collectionsMax / 50)
      ok(yield* loki.post("/collections", { name: "mine" }))
      yield* freya.delete(`/collections/${list.collections[0].id}`)
      ok(yield* freya.post("/collections", { name: "room again" }))
      assertProblem(yield* freya.post("/collections", { name: "x" }), TooManyCollections)
      const error =
        yield* Effect.flip(sql`insert into collections (id, created_at, updated_at, owner_id, name, slug)
        values ('beyond', 'epoch', 'epoch', ${freya.id}, 'n', '')`)
      assert.include(String(error.reason.cause), "collection_owners_collections_check")
    })
  )
})

const unfound = TestApp.storesBut(CollectionStore, (ours) => ({
  ...ours,
  find: () => Effect.succeedNone
}))

layer(TestApp.layerWhere({}, unfound))("a collection that is deleted before its owner reads it", (it) => {
  it.effect("is not found", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      assertProblem(yield* odin.post("/collections", { name: "Gone" }), CollectionNotFound)
    })
  )
})
