import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person } from "../support/people.ts"

const beacon = (person: Person, body: unknown, type = "text/plain;charset=UTF-8") =>
  person.post("/beacon", typeof body === "string" ? body : JSON.stringify(body), { "content-type": type })

layer(People.layer)("the read state of a thread", (it) => {
  it.effect("is set by a beacon only, and only for its sender", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* TestClock.adjust("1500 millis")
      const thread = yield* open(freya, "Unread")
      const path = `/threads/${thread.id}`
      yield* reply(freya, thread.id, "before")
      ok(yield* loki.get(path))
      assert.notProperty(ok(yield* loki.get(path)), "read_status")

      const sent = yield* beacon(loki, { k: "thread", id: thread.id })
      assert.strictEqual(sent.status, 202)
      assert.strictEqual(sent.text, "")
      const status = (person: Person) =>
        Effect.gen(function* () {
          const [listed] = ok(yield* person.get("/threads")).threads
          const read = ok(yield* person.get(path))
          assert.deepStrictEqual(listed.read_status, read.read_status)
          return read.read_status
        })
      const last_read_at = "1970-01-01T00:00:01.500Z"
      assert.deepStrictEqual(yield* status(loki), { last_read_at, replies_since: 0 })
      for (const person of [guest, freya]) assert.isUndefined(yield* status(person))

      // Marks have a precision of one second.
      const early = yield* reply(freya, thread.id, "within the second")
      yield* TestClock.adjust("499 millis")
      yield* reply(freya, thread.id, "still within")
      assert.deepStrictEqual(yield* status(loki), { last_read_at, replies_since: 0 })
      yield* TestClock.adjust("1 millis")
      const late = yield* reply(freya, thread.id, "in the next")
      assert.deepStrictEqual(yield* status(loki), { last_read_at, replies_since: 1 })
      yield* reply(freya, thread.id, "and another")
      ok(yield* freya.delete(`/posts/${late.id}`))
      ok(yield* freya.delete(`/posts/${early.id}`))
      assert.deepStrictEqual(yield* status(loki), { last_read_at, replies_since: 1 })
      const between = yield* reply(freya, thread.id, "a third")
      yield* reply(freya, thread.id, "a fourth")
      ok(yield* freya.delete(`/posts/${between.id}`))
      assert.deepStrictEqual(yield* status(loki), { last_read_at, replies_since: 2 })

      yield* beacon(loki, { k: "thread", id: thread.slug })
      assert.deepStrictEqual(yield* status(loki), {
        last_read_at: "1970-01-01T00:00:02.000Z",
        replies_since: 0
      })
      const [only] = ok(yield* loki.get("/threads?author=freya")).threads
      assert.deepStrictEqual(
        ok(yield* loki.patch(path, {}).pipe(Effect.andThen(loki.get(path)))).read_status,
        only.read_status
      )
    })
  )

  it.effect("is not changed by an invalid beacon, which is accepted all the same", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Nonsense")
      const answer = yield* reply(freya, thread.id, "reply")
      const gone = yield* open(freya, "Gone")
      ok(yield* freya.delete(`/threads/${gone.id}`))
      const count = sql`select count(*) as marks from read_marks`
      const before = yield* count
      const good = { k: "thread", id: thread.id }
      for (const [person, body, type] of [
        [guest, good],
        [loki, { ...good, k: "node" }],
        [loki, { ...good, k: "reply" }],
        [loki, { ...good, k: "THREAD" }],
        [loki, { k: "thread", id: nobody }],
        [loki, { k: "thread", id: gone.id }],
        [loki, { k: "thread", id: answer.id }],
        [loki, { k: "thread", id: "' or true --" }],
        [loki, { k: "thread", id: "\u0000" }],
        [loki, { k: "thread", id: 5 }],
        [loki, { k: "thread" }],
        [loki, "null"],
        [loki, "[]"],
        [loki, "{"],
        [loki, ""],
        [loki, "\0"],
        [loki, "\ud800"],
        [loki, "[".repeat(100_000)],
        [loki, "x".repeat(900_000)],
        [loki, '{"k":"thread","id":"\\u0000"}', "application/json"],
        [loki, "[".repeat(100_000), "application/json"],
        [loki, "a=b", "application/x-www-form-urlencoded"],
        [loki, "--x--", "multipart/form-data; boundary=x"],
        [loki, "a=b", "no type at all"]
      ] as const) {
        const sent = yield* beacon(person, body, type)
        assert.strictEqual(sent.status, 202, JSON.stringify(body).slice(0, 60))
        assert.strictEqual(sent.text, "")
      }
      assert.strictEqual((yield* loki.post("/beacon")).status, 202)
      assert.deepStrictEqual(yield* count, before)
      for (const type of ["application/json", "application/octet-stream", "text/plain"]) {
        yield* sql`delete from read_marks`
        assert.strictEqual((yield* beacon(loki, good, type)).status, 202)
        assert.strictEqual((yield* sql`select from read_marks`).length, 1, type)
      }
    })
  )

  it.effect("is set once by concurrent beacons", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Often")
      const sent = yield* Effect.all(
        Array.from({ length: 30 }, () => beacon(freya, { k: "thread", id: thread.id })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(sent.map(({ status }) => status))], [202])
      assert.strictEqual((yield* sql`select from read_marks where thread_id = ${thread.id}`).length, 1)
    })
  )
})
