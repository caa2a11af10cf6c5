import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryNotFound, CategoryUnknown } from "../../src/domain/category/Category.ts"
import { CategoryMoveToSelf } from "../../src/domain/category/CategoryTree.ts"
import { idsOf, ok } from "../support/answers.ts"
import { category, miscountedAuthors, open, reply } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

layer(People.layer)("deleting a category", (it) => {
  it.effect("moves its threads with their counts; its children become the last ones outside", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const target = yield* category(odin, "Target")
      const doomed = yield* category(odin, "Doomed", { parent: target.id })
      const last = yield* category(odin, "Last")
      ok(yield* odin.patch("/categories/last/position", {}))
      const [one, two] = [
        yield* category(odin, "One", { parent: doomed.id }),
        yield* category(odin, "Two", { parent: doomed.id })
      ]
      yield* category(odin, "Deeper", { parent: one.id })
      yield* open(freya, "already there", { category: target.id })
      const thread = yield* open(freya, "published", { category: doomed.id })
      yield* reply(odin, thread.id, "answered")
      const draft = yield* open(freya, "draft", { category: doomed.id, visibility: "draft" })
      const gone = yield* open(freya, "deleted", { category: doomed.id })
      ok(yield* freya.delete(`/threads/${gone.id}`))
      const path = `/threads/${thread.id}`
      const [tag, tagOfDoomed, tagOfTarget] = yield* Effect.all([
        etagOf(guest, path),
        etagOf(guest, "/categories/doomed"),
        etagOf(guest, "/categories/target")
      ])
      const before = ok(yield* guest.get("/categories/doomed"))

      const deleted = ok(yield* odin.delete("/categories/doomed", { move_to: target.id }))
      assert.deepStrictEqual(deleted, { ...before, children: [] })
      assert.strictEqual(deleted.postCount, 1)
      assertProblem(yield* guest.get("/categories/doomed", ifNoneMatch(tagOfDoomed)), CategoryNotFound, {
        category_slug: "doomed"
      })
      const { categories } = ok(yield* guest.get("/categories"))
      assert.deepStrictEqual(
        categories.map(({ name, parent, sort }: Record<string, unknown>) => [name, sort, parent]),
        [
          ["Target", 0, undefined],
          ["Deeper", 0, one.id],
          ["Last", 1, undefined],
          ["One", 2, undefined],
          ["Two", 3, undefined]
        ]
      )
      const moved = ok(yield* guest.get("/categories/target", ifNoneMatch(tagOfTarget)))
      assert.strictEqual(moved.postCount, 2)
      assert.deepStrictEqual(moved.children, [])
      const read = ok(yield* guest.get(path, ifNoneMatch(tag)))
      assert.deepStrictEqual(read.category, { ...moved, children: [] })
      assert.deepStrictEqual(ok(yield* freya.get(`/threads/${draft.id}`)).category.id, target.id)
      assert.deepStrictEqual(ok(yield* guest.get("/threads?categories=doomed")).threads, [])
      assert.strictEqual(ok(yield* guest.get("/threads?categories=target")).threads.length, 2)
      // Deleted threads are moved as well: nothing may refer to what is gone.
      assert.deepStrictEqual(yield* sql`select category_id from threads where id = ${gone.id}`, [
        { category_id: target.id }
      ])
      assert.deepStrictEqual(yield* miscountedAuthors, [])
      const [event] = yield* sql<{ readonly event: unknown }>`
        select event from event_log where tag = 'CategoryDeleted' order by id desc limit 1`
      assert.deepStrictEqual(event?.event, {
        _tag: "CategoryDeleted",
        id: doomed.id,
        slug: "doomed",
        moved_to: target.id
      })
      assert.deepStrictEqual(idsOf([last, two]).length, 2)
      // The name is free again.
      yield* category(odin, "Doomed")
    })
  )

  it.effect("is refused without another category for the threads, and then nothing changes", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const kept = yield* category(odin, "Kept")
      const path = "/categories/kept"
      assertInvalid(yield* odin.delete(path), "body move_to")
      assertInvalid(yield* odin.delete(path, {}), "body move_to")
      assertInvalid(yield* odin.delete(path, { move_to: null }), "body move_to")
      assertInvalid(yield* odin.delete(path, { move_to: "target" }), "body move_to")
      assertProblem(yield* odin.delete(path, { move_to: nobody }), CategoryUnknown, {
        field: "move_to",
        id: nobody
      })
      assertProblem(yield* odin.delete(path, { move_to: kept.id }), CategoryMoveToSelf, {})
      assertProblem(yield* odin.delete("/categories/none", { move_to: kept.id }), CategoryNotFound, {
        category_slug: "none"
      })
      assert.deepStrictEqual(ok(yield* guest.get(path)), kept)
    })
  )

  it.effect("may move the threads to a child of it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const above = yield* category(odin, "Above")
      const below = yield* category(odin, "Under", { parent: above.id })
      const thread = yield* open(freya, "comes down", { category: above.id })
      ok(yield* odin.delete("/categories/above", { move_to: below.id }))
      const read = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.strictEqual(read.category.id, below.id)
      assert.notProperty(read.category, "parent")
      assert.strictEqual(read.category.postCount, 1)
    })
  )
})
