/** What the migration derives of threads that were there before: the same as the service keeps. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import migrateThreads, { threadTexts } from "../../src/persistence/migrations/0012_threads.ts"
import migrateSearch from "../../src/persistence/migrations/0024_search.ts"
import { totals } from "../../src/persistence/migrations/0052_lists.ts"
import { ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"

/** What later migrations made of the texts of threads. */
const undoSearch = [
  `drop table search_words, search_texts`,
  `drop trigger posts_search on posts`,
  `drop function follow_post_in_search, keep_search_words`
]

const runAll = (statements: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use((sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement)))

layer(People.layer)("the migration of thread texts", (it) => {
  it.effect("writes for each thread what the service would have written, in more than one batch", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const deleted = yield* open(freya, "Deleted")
      ok(yield* freya.delete(`/threads/${deleted.id}`))
      yield* Effect.forEach(Array.from({ length: 205 }), (_, n) =>
        open(freya, `Título ${n}`, { body: `<p>Ä &amp; b</p><p>${n}</p>` })
      )
      const written =
        yield* sql`select id as thread_id, replace(concat_ws(e'\n', title, slug, body), 'ø', ' ') as text
        from search_texts order by id`
      assert.strictEqual(written.length, 205)
      yield* runAll(undoSearch)
      yield* sql.withTransaction(threadTexts)
      assert.deepStrictEqual(yield* sql`select thread_id, text from thread_texts order by thread_id`, written)
      yield* sql.withTransaction(migrateSearch)
      assert.strictEqual(ok(yield* guest.get("/threads?q=a%20%26%20b%20204")).results, 1)
    })
  )
})

/** The schema as it was before. */
const undo = [
  ...undoSearch,
  `alter table threads drop column unpublished_replies, drop column opening_weight, drop column reply_weight`,
  `alter table read_marks drop column replies_read`,
  `drop index posts_unpublished`,
  `drop index posts_of_author`,
  `create index posts_author_id on posts (author_id)`,
  `drop function replies_for`,
  `drop function post_weight`
]

layer(People.layer)("the migration of threads", (it) => {
  it.effect("counts and weighs as the service does", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Counted", { body: "long ".repeat(1000), meta: { m: 1 } })
      yield* open(loki, "Without replies")
      const read = Effect.andThen(
        loki.post("/beacon", JSON.stringify({ k: "thread", id: thread.id }), {
          "content-type": "text/plain"
        }),
        TestClock.adjust("1 second")
      )
      const link = '<a href="https://weighed.test/">x</a>'
      const replies = yield* Effect.forEach(["a", "b", link, "d"], (body) =>
        Effect.tap(reply(freya, thread.id, body), () => TestClock.adjust("1 second"))
      )
      yield* read
      yield* reply(freya, thread.id, "unread")
      const [first, second] = replies
      ok(yield* tyr.patch(`/posts/${first.id}`, { visibility: "review" }))
      ok(yield* tyr.patch(`/posts/${second.id}`, { visibility: "draft" }))
      ok(yield* tyr.delete(`/posts/${second.id}`))
      const kept = Effect.all([
        sql`select id, unpublished_replies, opening_weight, reply_weight from threads order by id`,
        sql`select thread_id, replies_read from read_marks`,
        sql`select * from search_texts order by id`
      ])
      const before = yield* kept
      assert.strictEqual(before[0][0]?.unpublished_replies, 1)
      assert.deepStrictEqual(before[1], [{ thread_id: thread.id, replies_read: 4 }])
      yield* sql.withTransaction(runAll(undo))
      yield* sql.withTransaction(Effect.andThen(migrateThreads, migrateSearch))
      assert.deepStrictEqual(yield* kept, before)
    })
  )
})

layer(People.layer)("the migration of lists", (it) => {
  it.effect("counts what authors have published as the service does", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const place = yield* category(odin, "Place")
      for (const author of [freya, loki]) {
        for (const more of [{}, { category: place.id }]) {
          yield* open(author, "Published", more)
          yield* open(author, "Draft", { ...more, visibility: "draft" })
        }
      }
      const deleted = yield* open(odin, "Deleted")
      ok(yield* odin.delete(`/threads/${deleted.id}`))
      const kept = sql`select * from author_totals where published > 0 order by author_id, category_id`
      const before = yield* kept
      assert.strictEqual(before.length, 4)
      yield* sql`drop table author_totals`
      yield* totals
      assert.deepStrictEqual(yield* kept, before)
    })
  )
})
