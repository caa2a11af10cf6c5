/** The audit log as administrators read it (identity contract 14.3). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AuditEventNotFound } from "../../src/domain/moderation/AuditEvent.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const log = (path = "") =>
  Effect.flatMap(Cast, ({ odin }) => Effect.map(odin.get(`/admin/audit-events${path}`), ok))

const typesOf = ({ events }: { readonly events: ReadonlyArray<{ readonly type: string }> }) =>
  events.map(({ type }) => type)

layer(People.layer)("the audit log", (it) => {
  it.effect("is for administrators", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* grant(loki, "MANAGE_POSTS", "MANAGE_SUSPENSIONS", "VIEW_ACCOUNTS")
      for (const [person, problem] of [
        [guest, Unauthenticated],
        [freya, Forbidden],
        [loki, Forbidden]
      ] as const) {
        assertProblem(yield* person.get("/admin/audit-events"), problem)
        assertProblem(yield* person.get(`/admin/audit-events/${nobody}`), problem)
      }
      yield* grant(freya, "ADMINISTRATOR")
      ok(yield* freya.get("/admin/audit-events"))
    })
  )

  it.effect("has an entry for each deletion, one's own included, newest first and narrowed by types", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Thread")
      const answer = yield* reply(freya, thread.id, "Reply")
      ok(yield* freya.delete(`/posts/${answer.id}`))
      ok(yield* tyr.delete(`/threads/${thread.id}`))
      ok(yield* odin.post("/admin/bans/freya"))
      ok(yield* odin.delete("/admin/bans/freya"))
      yield* drainEvents
      const { events, ...envelope } = yield* log()
      assert.deepStrictEqual(envelope, { page_size: 50, results: 4, total_pages: 1, current_page: 1 })
      assert.deepStrictEqual(typesOf({ events }), [
        "account_unsuspended",
        "account_suspended",
        "thread_deleted",
        "thread_reply_deleted"
      ])
      const [, , ofThread, ofReply] = events
      assert.deepStrictEqual([ofThread.thread_id, ofThread.enacted_by.handle], [thread.id, "tyr"])
      assert.deepStrictEqual([ofReply.reply_id, ofReply.enacted_by.handle], [answer.id, "freya"])
      for (const one of events) assert.deepStrictEqual(yield* log(`/${one.id}`), one)
      assertProblem(yield* odin.get(`/admin/audit-events/${nobody}`), AuditEventNotFound)
      assertProblem(yield* odin.get("/admin/audit-events/x"), AuditEventNotFound)

      const two = yield* log("?types=thread_deleted&types=account_suspended")
      assert.deepStrictEqual(typesOf(two), ["account_suspended", "thread_deleted"])
      assert.strictEqual(two.total_pages, 1)
      assertInvalid(yield* odin.get("/admin/audit-events?types=robbery"), "query types.0")
    })
  )

  it.effect("is narrowed by a range of time whose ends may be open", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const all = yield* log()
      const middle = all.events[1].timestamp
      const inRange = (range: string) =>
        Effect.map(log(`?range=${encodeURIComponent(range)}`), ({ events, total_pages }) => [
          events.map(({ timestamp }: { readonly timestamp: string }) => timestamp),
          total_pages
        ])
      const timestamps: ReadonlyArray<string> = all.events.map(
        ({ timestamp }: { readonly timestamp: string }) => timestamp
      )
      const since = timestamps.filter((at) => at >= middle)
      const until = timestamps.filter((at) => at <= middle)
      assert.deepStrictEqual(yield* inRange(`${middle}/`), [since, 1])
      assert.deepStrictEqual(yield* inRange(middle), [since, 1])
      assert.deepStrictEqual(yield* inRange(`/${middle}`), [until, 1])
      assert.deepStrictEqual(yield* inRange(`${middle}/${middle}`), [
        timestamps.filter((at) => at === middle),
        1
      ])
      assert.deepStrictEqual(yield* inRange("2001-01-01/2001-02-01"), [[], 0])
      for (const bad of ["a", "2026-01-01/2026-01-02/2026-01-03", "2026-02-30"]) {
        assertInvalid(yield* odin.get(`/admin/audit-events?range=${bad}`), "query range")
      }
    })
  )

  it.effect("has pages that do not overlap, and numbers that are right on all", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into audit_events (id, occurred_at, type, subject, cause_id)
        select lpad(n::text, 19, '0') || '0', '2001-01-01Z', 'thread_deleted',
          jsonb_build_object('thread_id', '00000000000000000000'), -n from generate_series(1, 120) n`
      const pages = yield* Effect.forEach([1, 2, 3, 4], (page) => log(`?types=thread_deleted&page=${page}`))
      assert.deepStrictEqual(
        pages.map(({ next_page, results, total_pages }) => [results, total_pages, next_page]),
        [
          [50, 3, 2],
          [50, 3, 3],
          [21, 3, undefined],
          [0, 3, undefined]
        ]
      )
      const ids = pages.flatMap(({ events }) => events.map(({ id }: { readonly id: string }) => id))
      assert.strictEqual(new Set(ids).size, 121)
      // Nobody in particular did it.
      assert.notProperty(pages[2]?.events[0], "enacted_by")
    })
  )

  it.effect("stays as it was written, whoever writes to the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const change of [
        sql`delete from audit_events`,
        sql`truncate audit_events`,
        sql`update audit_events set type = 'thread_deleted' where type <> 'thread_deleted'`,
        sql`update audit_events set subject = '{}', enacted_by = null`
      ]) {
        assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError")
      }
    })
  )
})
