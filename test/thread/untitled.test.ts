/** Drafts without a title: begun before anybody knows what they are called. */
import { inspect } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ThreadTitleMissing } from "../../src/domain/thread/Thread.ts"
import { idsOf, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

layer(People.layer)("a draft without a title", (it) => {
  const begin = Effect.gen(function* () {
    const { freya } = yield* Cast
    const draft = ok(yield* freya.post("/threads", { title: "", body: "searched" }))
    return { draft, path: `/threads/${draft.id}` }
  })

  it.effect("has its id for a slug, and gets its slug with its first title", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { draft, path } = yield* begin
      assert.deepStrictEqual([draft.title, draft.slug, draft.visibility], ["", draft.id, "draft"])
      assert.strictEqual(ok(yield* freya.patch(path, { title: "  ", body: "changed" })).slug, draft.id)
      const titled = ok(yield* freya.patch(path, { title: "First title" }))
      const slug = `${draft.id}-first-title`
      assert.deepStrictEqual([titled.title, titled.slug], ["First title", slug])
      assert.strictEqual(ok(yield* freya.patch(path, { title: "Second" })).slug, slug)
      // The title may go again; the slug stays.
      assert.deepStrictEqual(ok(yield* freya.patch(path, { title: "" })).slug, slug)
      const published = ok(yield* freya.patch(path, { title: "Third", visibility: "published" }))
      assert.deepStrictEqual([published.title, published.slug], ["Third", slug])
      // What is searched follows.
      assert.include(idsOf(ok(yield* guest.get("/threads?q=first-title")).threads), draft.id)
      assert.include(idsOf(ok(yield* guest.get("/threads?q=third")).threads), draft.id)
    })
  )

  it.effect("gets title, slug and visibility by one request", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { draft, path } = yield* begin
      const published = ok(yield* freya.patch(path, { title: "At once", visibility: "published" }))
      assert.strictEqual(published.slug, `${draft.id}-at-once`)
      assert.strictEqual(ok(yield* guest.get(`/threads/${published.slug}`)).title, "At once")
    })
  )

  it.effect("becomes nothing else without one, by whichever address", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { draft, path } = yield* begin
      const missing = { field: "title" } as const
      for (const visibility of ["published", "review", "unlisted"]) {
        for (const refused of [
          yield* freya.post("/threads", { title: "", visibility }),
          yield* freya.patch(path, { visibility }),
          yield* freya.patch(path, { visibility, title: " " }),
          yield* odin.patch(`/posts/${draft.id}`, { visibility })
        ]) {
          assertProblem(refused, ThreadTitleMissing, missing)
        }
        const other = ok(yield* freya.post("/threads", { title: "Titled", visibility }))
        assertProblem(yield* freya.patch(`/threads/${other.id}`, { title: "" }), ThreadTitleMissing, missing)
        const back = { title: "", visibility: "draft" }
        assert.strictEqual(ok(yield* freya.patch(`/threads/${other.id}`, back)).slug, other.slug)
        assertProblem(yield* freya.patch(`/threads/${other.id}`, { visibility }), ThreadTitleMissing, missing)
      }
      assert.deepStrictEqual(ok(yield* freya.get(path)), draft)
    })
  )

  it.effect("is a draft in the database, too", () =>
    Effect.gen(function* () {
      const { draft } = yield* begin
      const sql = yield* SqlClient.SqlClient
      const refused = yield* Effect.flip(sql`update posts set visibility = 'review' where id = ${draft.id}`)
      assert.match(inspect(refused, { depth: 8 }), /posts_titled/)
    })
  )
})
