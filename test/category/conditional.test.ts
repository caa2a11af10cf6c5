import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryNotFound } from "../../src/domain/category/Category.ts"
import { ok } from "../support/answers.ts"
import { category, open } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

layer(People.layer)("If-None-Match for a category", (it) => {
  it.effect("matches until the category changes, and is the same for every caller", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Kept")
      const path = "/categories/kept"
      let tag = yield* etagOf(guest, path)
      assert.strictEqual(yield* etagOf(freya, path), tag)
      for (const person of [guest, freya]) {
        const again = yield* person.get(path, ifNoneMatch(tag))
        assert.strictEqual(again.status, 304)
        assert.strictEqual(again.text, "")
        assert.strictEqual(again.headers.etag, tag)
        assert.strictEqual(again.headers["cache-control"], "public, no-cache")
        assert.strictEqual(ok(yield* person.get(path, ifNoneMatch('"stale"'))).id, place.id)
      }
      assert.strictEqual((yield* guest.get(path)).headers["cache-control"], "public, no-cache")
      for (const [what, change] of [
        ["name", sql`update categories set name = 'Renamed' where id = ${place.id}`],
        ["sort", sql`update categories set sort = 4 where id = ${place.id}`],
        ["child", category(odin, "Child", { parent: place.id })],
        ["thread", open(freya, "in it", { category: place.id })]
      ] as const) {
        yield* change
        const answered = yield* guest.get(path, ifNoneMatch(tag))
        assert.strictEqual(answered.status, 200, what)
        tag = answered.headers.etag ?? ""
      }
      yield* sql`update categories set slug = 'gone' where id = ${place.id}`
      assertProblem(yield* guest.get(path, ifNoneMatch(tag)), CategoryNotFound, { category_slug: "kept" })
    })
  )
})
