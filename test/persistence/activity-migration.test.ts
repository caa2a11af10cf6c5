/** What the migration derives of threads and likes that were there before: the same as the service keeps. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import migrateActivity from "../../src/persistence/migrations/0057_activity.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

/** The schema as it was before, and what it held: activity of all replies that are left, and all likes. */
const undo = [
  `drop trigger threads_score on threads`,
  `drop trigger posts_score on posts`,
  `drop function score_threads, score_posts, published_since`,
  `alter table threads drop column last_made_at, drop column published_later`,
  `alter table posts drop column published_at, drop column publication`,
  `alter table read_marks drop column publications_read`,
  `update threads t set last_reply_at = r.at, active_at = r.at
    from (select thread_id, max(created_at) as at from posts where ordinal > 0 and deleted_at is null
      group by thread_id) r where r.thread_id = t.id`,
  `update account_counts c set like_score = (
    select count(*) from likes l join posts p on p.id = l.post_id where p.author_id = c.account_id)`
]

layer(People.layer)("the migration of activity", (it) => {
  it.effect("repairs what hidden and deleted posts left in activity and like scores", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const threads = yield* Effect.forEach(["kept", "hidden", "deleted", "silent"], (title) =>
        open(freya, title)
      )
      const [kept, hidden, deleted] = threads
      for (const thread of [kept, hidden, deleted]) {
        for (const body of ["a", "b", "c"]) {
          yield* TestClock.adjust("1 second")
          const { id } = yield* reply(loki, thread.id, body)
          for (const person of [odin, loki, freya]) ok(yield* person.put(`/likes/posts/${id}`))
          if (body === "b") ok(yield* loki.delete(`/posts/${id}`))
          if (body === "c") ok(yield* tyr.patch(`/posts/${id}`, { visibility: "review" }))
        }
        for (const person of [odin, loki, freya]) ok(yield* person.put(`/likes/posts/${thread.id}`))
      }
      ok(yield* freya.patch(`/threads/${hidden.id}`, { visibility: "draft" }))
      ok(yield* freya.delete(`/threads/${deleted.id}`))
      const state = Effect.all([
        sql`select id, last_made_at, last_reply_at, active_at, published_later from threads order by id`,
        sql`select account_id, like_score from account_counts order by account_id`
      ])
      const before = yield* state
      assert.sameDeepMembers(
        [...before[1]],
        [
          { account_id: freya.id, like_score: 2 },
          { account_id: loki.id, like_score: 2 }
        ]
      )
      yield* sql.withTransaction(Effect.forEach(undo, (statement) => sql.unsafe(statement)))
      const wrong = yield* sql`select like_score from account_counts where account_id = ${loki.id}`
      assert.deepStrictEqual(wrong, [{ like_score: 27 }])
      yield* sql.withTransaction(migrateActivity)
      assert.deepStrictEqual(yield* state, before)
      // Triggers keep them from then on.
      ok(yield* freya.patch(`/threads/${hidden.id}`, { visibility: "published" }))
      const [score] = yield* sql`select like_score from account_counts where account_id = ${loki.id}`
      assert.deepStrictEqual(score, { like_score: 4 })
    })
  )
})
