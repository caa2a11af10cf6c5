import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, nobody } from "../support/people.ts"

interface Entry {
  readonly type: string
  readonly enacted_by: string
  readonly subject: object
  readonly at: string
}

const entries = Effect.gen(function* () {
  yield* drainEvents
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Entry>`select type, enacted_by, subject, occurred_at::text as at from audit_events order by id`
})

layer(People.layer)("the audit log", (it) => {
  it.effect("has every deletion once, one's own included, with who did it and when", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Audited")
      const others = yield* open(loki, "Also audited", { visibility: "draft" })
      const [one, two] = [yield* reply(loki, thread.id, "one"), yield* reply(loki, thread.id, "two")]
      assert.deepStrictEqual(yield* entries, [])

      yield* TestClock.adjust("1 hour")
      ok(yield* loki.delete(`/posts/${one.id}`))
      ok(yield* tyr.delete(`/posts/${two.id}`))
      ok(yield* freya.delete(`/threads/${thread.slug}`))
      ok(yield* odin.delete(`/posts/${others.id}`))

      // Refused or too late, it is no deletion.
      for (const path of [
        `/threads/${thread.id}`,
        `/posts/${one.id}`,
        `/posts/${others.id}`,
        `/posts/${nobody}`
      ]) {
        assert.strictEqual((yield* odin.delete(path)).status, 404)
      }
      const kept = yield* open(freya, "Kept")
      assert.strictEqual((yield* loki.delete(`/threads/${kept.id}`)).status, 403)

      const at = "1970-01-01 01:00:00+00"
      const expected = [
        { type: "thread_reply_deleted", enacted_by: loki.id, subject: { reply_id: one.id }, at },
        { type: "thread_reply_deleted", enacted_by: tyr.id, subject: { reply_id: two.id }, at },
        { type: "thread_deleted", enacted_by: freya.id, subject: { thread_id: thread.id }, at },
        { type: "thread_deleted", enacted_by: odin.id, subject: { thread_id: others.id }, at }
      ]
      assert.deepStrictEqual(yield* entries, expected)
      assert.deepStrictEqual(yield* entries, expected)
    })
  )
})
