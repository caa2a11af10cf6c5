/** What the migration derives of posts that were there before: the same as the service keeps. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import migrateSearch from "../../src/persistence/migrations/0024_search.ts"
import { search as migrateNodes } from "../../src/persistence/migrations/0031_library_elsewhere.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"

/** The schema as it was before. */
const undo = [
  `drop table search_words, search_texts`,
  `drop trigger posts_search on posts`,
  `drop function follow_post_in_search, keep_search_words`,
  `create table thread_texts (thread_id text primary key, text text not null)`
]

layer(People.layer)("the migration of search", (it) => {
  it.effect("writes for each post what the service would have written, in more than one batch", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Título 学习编程 Xylophone", { body: "<p>Ä &amp; b</p><p>中文</p>" })
      yield* open(freya, "A draft", { visibility: "draft" })
      const gone = yield* open(freya, "Deleted")
      const replies = yield* Effect.forEach(Array.from({ length: 205 }), (_, n) =>
        reply(loki, thread.id, `<b>Reply</b> ${n} 日本語`)
      )
      ok(yield* loki.delete(`/posts/${replies[0].id}`))
      ok(yield* tyr.patch(`/posts/${replies[1].id}`, { visibility: "review" }))
      ok(yield* freya.delete(`/threads/${gone.id}`))
      const kept = Effect.all([
        sql`select * from search_texts order by id`,
        sql`select * from search_words order by item_id, word`
      ])
      const before = yield* kept
      assert.strictEqual(before[0].length, 206)
      assert.isNotEmpty(before[1])
      yield* Effect.forEach(undo, (statement) => sql.unsafe(statement))
      yield* sql.withTransaction(Effect.andThen(migrateSearch, migrateNodes))
      assert.deepStrictEqual(yield* kept, before)
      assert.strictEqual(ok(yield* guest.get("/threads?q=xylophone")).results, 1)

      // What the service keeps from then on.
      const later = yield* reply(loki, thread.id, "later")
      ok(yield* tyr.patch(`/posts/${later.id}`, { visibility: "review" }))
      assert.deepStrictEqual(
        yield* sql`select kind, visibility, body from search_texts where id = ${later.id}`,
        [{ kind: "reply", visibility: "review", body: "later" }]
      )
    })
  )
})
