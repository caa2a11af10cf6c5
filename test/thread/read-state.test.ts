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

      // Also what is written at the very time of the mark, but after it.
      const early = yield* reply(freya, thread.id, "at once")
      assert.deepStrictEqual(yield* status(loki), { last_read_at, replies_since: 1 })
      yield* TestClock.adjust("500 millis")
      const late = yield* reply(freya, thread.id, "later")
      assert.deepStrictEqual(yield* status(loki), { last_read_at, replies_since: 2 })
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

  it.effect("counts as new what the reader did not write and may read", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "New to whom")
      const path = `/threads/${thread.id}`
      const hide = (id: string, visibility: string) => tyr.patch(`/posts/${id}`, { visibility })
      yield* reply(loki, thread.id, "own, read")
      const hiddenBefore = yield* reply(odin, thread.id, "hidden, read")
      ok(yield* hide(hiddenBefore.id, "review"))
      const readers = [freya, loki, odin, tyr]
      for (const reader of readers) yield* beacon(reader, { k: "thread", id: thread.id })
      const since = Effect.forEach(readers, (reader) =>
        Effect.gen(function* () {
          const status = ok(yield* reader.get(path)).read_status
          const listed: ReadonlyArray<{ id: string; read_status: unknown }> = ok(
            yield* reader.get("/threads")
          ).threads
          assert.deepStrictEqual(listed.find(({ id }) => id === thread.id)?.read_status, status)
          return status.replies_since
        })
      )
      assert.deepStrictEqual(yield* since, [0, 0, 0, 0])
      const own = yield* reply(loki, thread.id, "own")
      yield* reply(odin, thread.id, "another's")
      const hidden = yield* reply(freya, thread.id, "to be hidden")
      // By freya, loki, the administrator and the moderator.
      assert.deepStrictEqual(yield* since, [2, 2, 2, 3])
      ok(yield* hide(hidden.id, "unlisted"))
      assert.deepStrictEqual(yield* since, [2, 1, 2, 3])
      ok(yield* hide(own.id, "review"))
      assert.deepStrictEqual(yield* since, [1, 1, 2, 3])
      ok(yield* hide(hidden.id, "published"))
      // Who had read the thread before has not read what could not be read then, but for its author and the moderators.
      ok(yield* hide(hiddenBefore.id, "published"))
      assert.deepStrictEqual(yield* since, [2, 3, 2, 3])
      ok(yield* tyr.delete(`/posts/${own.id}`))
      ok(yield* tyr.delete(`/posts/${hiddenBefore.id}`))
      assert.deepStrictEqual(yield* since, [1, 2, 1, 2])
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
