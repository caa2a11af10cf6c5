import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import {
  drained,
  fresh,
  type Handle,
  instanceOf,
  logged,
  readable,
  recorder,
  seenBy
} from "../event/instances.ts"
import { ok } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

const instance = (names: ReadonlyArray<string>, also?: Handle) =>
  instanceOf(...names.map((name) => recorder(name, name === names[0] ? also : undefined)))

layer(People.layer)("the event log", (it) => {
  it.effect("names everything that happened, in its order, and nothing that did not", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [last] = yield* sql<{ readonly id: bigint }>`select max(id) as id from event_log`
      const place = yield* category(odin, "Logged")
      const draft = yield* open(freya, "Draft", { visibility: "draft" })
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
      ok(yield* freya.patch(`/threads/${draft.id}`, { title: "Same", visibility: "published" }))
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "unlisted" }))
      const thread = yield* open(freya, "Thread", {
        body: `<a href="sdr:profile/${loki.id}">l</a><a href="sdr:profile/${freya.id}">f</a>`
      })
      const first = yield* reply(loki, thread.id, "first")
      const second = yield* reply(freya, thread.id, "second", { reply_to: first.id })
      const third = yield* reply(freya, thread.id, "third", { reply_to: thread.id })
      ok(yield* loki.patch(`/posts/${first.id}`, { body: "edited" }))
      ok(yield* tyr.patch(`/posts/${first.id}`, { visibility: "review" }))
      ok(yield* tyr.patch(`/posts/${first.id}`, { visibility: "published" }))
      ok(yield* freya.patch(`/posts/${thread.id}`, { body: "edited" }))
      ok(yield* loki.delete(`/posts/${first.id}`))
      ok(yield* freya.delete(`/threads/${thread.id}`))
      assert.strictEqual((yield* loki.patch(`/threads/${draft.id}`, {})).status, 403)
      assert.strictEqual((yield* freya.delete(`/threads/${thread.id}`)).status, 404)
      assert.strictEqual(
        (yield* freya.patch(`/threads/${draft.id}`, { category: People.nobody })).status,
        400
      )

      const events = yield* sql<{ readonly actor_id: string; readonly event: object }>`
        select actor_id, event - 'standing' as event from event_log where id > ${last?.id ?? 0n} order by id`
      const of = (_tag: string, fields: object) => ({ _tag, ...fields })
      const inThread = (reply_id: string) => ({ thread_id: thread.id, reply_id })
      const created = { thread_author_id: freya.id }
      assert.deepStrictEqual(
        events.map(({ actor_id, event }) => [actor_id, event]),
        [
          [odin.id, of("CategoryUpdated", { id: place.id, slug: "logged" })],
          [freya.id, of("ThreadUpdated", { id: draft.id })],
          [freya.id, of("ThreadPublished", { id: draft.id })],
          [freya.id, of("ThreadUpdated", { id: draft.id })],
          [freya.id, of("ThreadUpdated", { id: draft.id })],
          [freya.id, of("ThreadUnpublished", { id: draft.id })],
          [freya.id, of("ThreadPublished", { id: thread.id })],
          [freya.id, of("MemberMentioned", { by: freya.id, mentioned: loki.id, thread_id: thread.id })],
          [
            loki.id,
            of("ThreadReplyCreated", { ...inThread(first.id), ...created, reply_author_id: loki.id })
          ],
          [
            freya.id,
            of("ThreadReplyCreated", {
              ...inThread(second.id),
              ...created,
              reply_author_id: freya.id,
              reply_to_author_id: loki.id,
              reply_to_target_id: first.id
            })
          ],
          [
            freya.id,
            of("ThreadReplyCreated", { ...inThread(third.id), ...created, reply_author_id: freya.id })
          ],
          [loki.id, of("ThreadReplyUpdated", inThread(first.id))],
          [tyr.id, of("ThreadReplyUpdated", inThread(first.id))],
          [tyr.id, of("ThreadReplyUnpublished", inThread(first.id))],
          [tyr.id, of("ThreadReplyUpdated", inThread(first.id))],
          [tyr.id, of("ThreadReplyPublished", inThread(first.id))],
          [freya.id, of("ThreadUpdated", { id: thread.id })],
          [loki.id, of("ThreadReplyDeleted", inThread(first.id))],
          [freya.id, of("ThreadDeleted", { id: thread.id })]
        ]
      )
    })
  )

  it.effect("a visibility that is set to what it was is no transition", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Steady")
      const hidden = yield* open(freya, "Hidden", { visibility: "unlisted" })
      const answer = yield* reply(loki, thread.id, "steady")
      const sql = yield* SqlClient.SqlClient
      const [last] = yield* sql<{ readonly id: bigint }>`select max(id) as id from event_log`
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "published" }))
      ok(yield* tyr.patch(`/posts/${thread.id}`, { visibility: "published" }))
      ok(yield* tyr.patch(`/threads/${thread.id}`, { visibility: "published" }))
      ok(yield* tyr.patch(`/threads/${hidden.id}`, { visibility: "unlisted" }))
      const events = yield* sql<{ readonly tag: string }>`
        select tag from event_log where id > ${last?.id ?? 0n} order by id`
      assert.deepStrictEqual(
        events.map(({ tag }) => tag),
        ["ThreadReplyUpdated", "ThreadUpdated", "ThreadUpdated", "ThreadUpdated"]
      )
    })
  )

  it.effect("a transaction that commits late is waited for, and not skipped", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* fresh
      const consumers = yield* instance(["patient"])
      yield* drained(consumers)
      const before = (yield* seenBy("patient")).length
      const write = (id: string) => sql`insert into event_log (occurred_at, event)
        values (now(), ${sql.literal(`'{"_tag":"ThreadUpdated","id":"${id}"}'`)})`

      const [written, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const early = yield* write(People.nobody).pipe(
        Effect.andThen(Deferred.succeed(written, undefined)),
        Effect.andThen(Deferred.await(release)),
        sql.withTransaction,
        Effect.forkScoped
      )
      yield* Deferred.await(written)
      // Of a later transaction, and visible first.
      yield* write(People.nobody)
      yield* consumers.drain
      assert.strictEqual((yield* seenBy("patient")).length, before)
      assert.strictEqual(yield* consumers.lag, 1)

      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(early)
      yield* drained(consumers)
      assert.deepStrictEqual(yield* seenBy("patient"), yield* logged)
      assert.strictEqual((yield* seenBy("patient")).length, before + 2)
    }).pipe(Effect.scoped)
  )

  it.effect("two instances that read at once hand each event to each consumer exactly once", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* fresh
      const names = ["left", "right"]
      const [one, two] = [yield* instance(names), yield* instance(names)]
      const thread = yield* open(freya, "Busy")
      const writing = Effect.forEach(
        Array.from({ length: 60 }, (_, n) => n),
        (n) => reply(n % 2 === 0 ? freya : loki, thread.id, `${n}`),
        { concurrency: 6, discard: true }
      )
      const reading = Effect.all(
        Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : two).drain),
        { concurrency: "unbounded", discard: true }
      )
      yield* Effect.all([writing, reading, Effect.andThen(writing, reading)], { concurrency: "unbounded" })
      yield* drained(one)
      const all = yield* logged
      for (const name of names) assert.deepStrictEqual(yield* seenBy(name), all)
      assert.strictEqual(all.filter(({ tag }) => tag === "ThreadReplyCreated").length >= 120, true)
    }).pipe(Effect.scoped)
  )

  it.effect("a consumer that fails keeps its place and its writes undone, and holds up no other", () =>
    Effect.gen(function* () {
      yield* fresh
      let healthy = false
      const consumers = yield* instance(["failing", "sound"], () =>
        healthy ? Effect.void : Effect.die(new Error("not today"))
      )
      const position = SqlClient.SqlClient.use(
        (sql) => sql`select txid::text, event_id from event_consumers where name = 'failing'`
      )
      const before = yield* position
      for (let attempt = 0; attempt < 2; attempt++) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(consumers.drain)))
        assert.deepStrictEqual(yield* seenBy("failing"), [])
        assert.deepStrictEqual(yield* position, before)
        assert.deepStrictEqual(yield* seenBy("sound"), yield* logged)
      }
      healthy = true
      yield* drained(consumers)
      assert.deepStrictEqual(yield* seenBy("failing"), yield* logged)
    }).pipe(Effect.scoped)
  )

  it.effect("events are ordered by the number of their transaction, not by how it is written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* fresh
      yield* sql`insert into event_log (txid, occurred_at, event)
        select txid::text::xid8, now(), '{"_tag":"ThreadUpdated","id":"00000000000000000000"}'
        from unnest(array[10, 9, 11, 100]) txid`
      const consumers = yield* instance(["reader"])
      yield* drained(consumers)
      const all = yield* logged
      const [first, second, third, fourth] = all.map(({ event_id }) => event_id)
      assert.isTrue(
        first !== undefined && second === first - 1n && third === first + 1n && fourth === first + 2n
      )
      assert.deepStrictEqual(yield* seenBy("reader"), all)
      yield* sql`delete from event_log where txid < '101'`
    }).pipe(Effect.scoped)
  )

  it.effect("is read to its end by one drain, in order, however many batches that takes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const count of [200, 201, 400, 1000]) {
        yield* fresh
        yield* sql`delete from event_log`
        yield* sql`insert into event_log (occurred_at, event)
          select now(), '{"_tag":"ThreadUpdated","id":"00000000000000000000"}' from generate_series(1, ${count}::int)`
        const consumers = yield* instance(["reader"])
        yield* readable
        yield* consumers.drain
        assert.strictEqual(yield* consumers.lag, 0, String(count))
        const all = yield* logged
        assert.lengthOf(all, count)
        assert.deepStrictEqual(yield* seenBy("reader"), all)
      }
    }).pipe(Effect.scoped)
  )
})
