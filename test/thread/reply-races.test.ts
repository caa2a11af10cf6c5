import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { ThreadHidden, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { idsOf, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, type Person } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

/** What a reply leaves in the database beside its own row. */
const tracesIn = (thread: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.all({
      replies: sql`select from posts where thread_id = ${thread} and ordinal > 0`,
      counted: sql`select from threads where id = ${thread} and replies_made > 0`,
      participants: sql`select from thread_participants where thread_id = ${thread}`,
      events: sql`select from event_log where tag = 'ThreadReplyCreated' and event->>'thread_id' = ${thread}`
    })
  )

/** Replies while another writer has the thread, and makes this change of it before the reply gets it. */
const replyDuring = Effect.fnUntraced(function* (
  author: Person,
  thread: string,
  change: (sql: SqlClient.SqlClient) => Statement.Statement<unknown>,
  body = "late"
) {
  const sql = yield* SqlClient.SqlClient
  const replying = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* change(sql)
      const replying = yield* Effect.forkChild(author.post(`/threads/${thread}/replies`, { body }))
      yield* untilWaiting(1)
      return replying
    })
  )
  return yield* Fiber.join(replying)
})

const nothing = { replies: [], counted: [], participants: [], events: [] }

layer(People.layer)("a reply that waits for another writer of its thread", (it) => {
  for (const body of ["late", '<a href="https://late.test">late</a>']) {
    it.effect(`is refused if the thread has been hidden: ${body}`, () =>
      Effect.gen(function* () {
        const { freya, loki } = yield* Cast
        const { id } = yield* open(freya, "Hidden meanwhile")
        const hide = (sql: SqlClient.SqlClient) =>
          sql`update threads set visibility = 'draft' where id = ${id}`
        assertProblem(yield* replyDuring(loki, id, hide, body), ThreadHidden, {})
        assert.deepStrictEqual(yield* tracesIn(id), nothing)
      })
    )

    it.effect(`is refused if the thread has been deleted: ${body}`, () =>
      Effect.gen(function* () {
        const { freya, loki } = yield* Cast
        const { id } = yield* open(freya, "Deleted meanwhile")
        const remove = (sql: SqlClient.SqlClient) =>
          sql`update threads set deleted_at = now() where id = ${id}`
        assertProblem(yield* replyDuring(loki, id, remove, body), ThreadNotFound, { thread_mark: id })
        assert.deepStrictEqual(yield* tracesIn(id), nothing)
      })
    )
  }

  it.effect("is written once, with one event, if its author may still reply", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* open(freya, "Hidden from others")
      const hide = (sql: SqlClient.SqlClient) => sql`update threads set visibility = 'draft' where id = ${id}`
      const written = ok(yield* replyDuring(odin, id, hide))
      assert.deepStrictEqual(idsOf(ok(yield* freya.get(`/threads/${id}`)).replies.replies), [written.id])
      const traces = yield* tracesIn(id)
      assert.deepStrictEqual(
        [traces.replies.length, traces.participants.length, traces.events.length],
        [1, 1, 1]
      )
      yield* drainEvents
      const [notice] = ok(yield* freya.get("/notifications")).notifications
      assert.strictEqual(notice.source.id, odin.id)
    })
  )

  it.effect("takes the number after the replies written meanwhile", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id } = yield* open(freya, "Renamed meanwhile")
      const first = yield* reply(loki, id, "first")
      const number = (sql: SqlClient.SqlClient) =>
        sql`update threads set replies_made = replies_made + 1 where id = ${id}`
      const last = ok(yield* replyDuring(loki, id, number))
      const sql = yield* SqlClient.SqlClient
      const rows =
        yield* sql`select id, ordinal from posts where thread_id = ${id} and ordinal > 0 order by ordinal`
      assert.deepStrictEqual(rows, [
        { id: first.id, ordinal: 1 },
        { id: last.id, ordinal: 3 }
      ])
    })
  )
})
