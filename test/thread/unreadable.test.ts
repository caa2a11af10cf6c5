/** Accounts that may read no threads, but write: no answer shows them what they may not read. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, nobody } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

const permission = "READ_PUBLISHED_THREADS"

const stopReading = SqlClient.SqlClient.use(
  (sql) => sql`update roles set permissions = array_remove(permissions, ${permission}) where name <> 'Admin'`
)

layer(People.layer)("who may read no threads", (it) => {
  it.effect("opens threads, and neither replies nor changes or deletes what is there", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const [thread, own] = [yield* open(freya, "Secret title"), yield* open(loki, "Secret plans")]
      const target = yield* reply(freya, thread.id, "secret words")
      const answer = yield* reply(loki, thread.id, "mine")
      yield* reply(freya, own.id, "secret answer")
      yield* stopReading
      const change = { body: "changed" }
      for (const refused of [
        yield* loki.post(`/threads/${thread.id}/replies`, { body: "plain" }),
        yield* loki.post(`/threads/${thread.id}/replies`, { body: "quoting", reply_to: target.id }),
        yield* loki.post(`/threads/${answer.id}/replies`, { body: "to a reply" }),
        yield* loki.post(`/threads/${own.id}/replies`, { body: "to my own" }),
        yield* loki.patch(`/threads/${own.id}`, change),
        yield* loki.patch(`/threads/${own.id}`, {}),
        yield* loki.delete(`/threads/${own.id}`),
        yield* loki.patch(`/posts/${own.id}`, change),
        yield* loki.patch(`/posts/${answer.id}`, {}),
        yield* loki.delete(`/posts/${answer.id}`),
        // Nor does the right to change everything show what may not be read.
        yield* tyr.patch(`/threads/${thread.id}`, change),
        yield* tyr.patch(`/posts/${target.id}`, change)
      ]) {
        assertProblem(refused, Forbidden, { permission })
        assert.notMatch(refused.text, /secret/i)
      }
      // Before anything else of the request is looked at.
      for (const path of [`/threads/${nobody}`, `/posts/${nobody}`]) {
        for (const refused of [yield* loki.patch(path, "junk"), yield* loki.delete(path)]) {
          assertProblem(refused, Forbidden, { permission })
        }
      }
      for (const refused of [
        yield* loki.put(`/likes/posts/${nobody}`),
        yield* loki.post(`/threads/${nobody}/replies`, "junk"),
        yield* loki.put(`/posts/${nobody}/reacts`, "junk")
      ]) {
        assertProblem(refused, Forbidden, { permission })
      }
      const opened = ok(yield* loki.post("/threads", { title: "Opened all the same" }))
      assert.strictEqual(opened.replies.results, 0)
      assert.strictEqual(ok(yield* odin.get(`/threads/${thread.id}`)).reply_status.replies, 2)

      yield* grant(loki, permission)
      ok(yield* loki.patch(`/posts/${answer.id}`, change))
      ok(yield* loki.delete(`/threads/${own.id}`))
      assertProblem(yield* loki.patch(`/threads/${nobody}`, change), ThreadNotFound)
      assertProblem(yield* loki.patch(`/posts/${nobody}`, change), PostNotFound)
    })
  )
})
