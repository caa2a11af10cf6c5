import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, nobody, type Person } from "../support/people.ts"

const mention = (...ids: ReadonlyArray<string>) =>
  ids.map((id) => `<p>Hello <a href="sdr:profile/${id}">you</a></p>`).join("")

/** The notifications of a person, oldest first: event, source and item. */
const notificationsOf = (person: Person) =>
  Effect.gen(function* () {
    yield* drainEvents
    const { notifications } = ok(yield* person.get("/notifications"))
    return notifications
      .toReversed()
      .map(
        (one: { event: string; source?: { handle: string }; item?: { ref: { id: string } } }) =>
          `${one.event} by ${one.source?.handle} of ${one.item?.ref.id}`
      )
  })

/** Starts without notifications. */
const deleteAll = SqlClient.SqlClient.use((sql) => sql`delete from notifications`)

layer(People.layer)("notifications", (it) => {
  it.effect(
    "go to a thread's author for replies, to a reply's author for answers, and to nobody for their own",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin } = yield* Cast
        const thread = yield* open(freya, "Talk")
        const first = yield* reply(loki, thread.id, "to the thread")
        assert.deepStrictEqual(yield* notificationsOf(freya), [`thread_reply by loki of ${thread.id}`])
        assert.deepStrictEqual(yield* notificationsOf(loki), [])

        const second = yield* reply(odin, thread.id, "to loki", { reply_to: first.id })
        assert.deepStrictEqual((yield* notificationsOf(freya)).slice(1), [
          `thread_reply by odin of ${thread.id}`
        ])
        assert.deepStrictEqual(yield* notificationsOf(loki), [`reply_to_reply by odin of ${second.id}`])

        yield* deleteAll
        const own = yield* reply(freya, thread.id, "from the author")
        const both = yield* reply(loki, thread.id, "to the author's reply", { reply_to: own.id })
        assert.deepStrictEqual((yield* notificationsOf(freya)).toSorted(), [
          `reply_to_reply by loki of ${both.id}`,
          `thread_reply by loki of ${thread.id}`
        ])
        assert.deepStrictEqual(yield* notificationsOf(odin), [])

        yield* deleteAll
        yield* reply(loki, thread.id, "to oneself", { reply_to: first.id })
        yield* reply(freya, thread.id, "to oneself", { reply_to: own.id })
        yield* reply(loki, thread.id, "to the opening post", { reply_to: thread.id })
        assert.deepStrictEqual(yield* notificationsOf(loki), [])
        assert.deepStrictEqual(yield* notificationsOf(freya), [
          `thread_reply by loki of ${thread.id}`,
          `thread_reply by loki of ${thread.id}`
        ])
      })
  )

  it.effect("have a status, a source and the post that they are about", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* deleteAll
      yield* TestClock.adjust("7 seconds")
      const thread = yield* open(freya, "Whole", { body: "<p>opening</p>" })
      const first = yield* reply(freya, thread.id, "first")
      const answer = yield* reply(loki, thread.id, "second", { reply_to: first.id })
      yield* drainEvents
      const list = ok(yield* freya.get("/notifications"))
      const { notifications, ...numbers } = list
      assert.deepStrictEqual(numbers, { page_size: 50, results: 2, total_pages: 1, current_page: 1 })
      const [toReply, toThread] = notifications
      const { id: _, ...rest } = toReply
      const { reply_to: __, root_id: ___, root_slug: ____, ...post } = answer
      assert.deepStrictEqual(rest, {
        created_at: answer.createdAt,
        event: "reply_to_reply",
        status: "unread",
        source: answer.author,
        item: { kind: "post", ref: { ...post, slug: thread.slug } }
      })
      assert.strictEqual(toThread.event, "thread_reply")
      assert.strictEqual(toThread.item.kind, "post")
      assert.strictEqual(toThread.item.ref.id, thread.id)
      assert.strictEqual(toThread.item.ref.body, "<body><p>opening</p></body>")
      assert.strictEqual(toThread.item.ref.slug, thread.slug)
    })
  )

  it.effect("go to accounts that a new thread mentions, once each, and not to its author", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* deleteAll
      const thread = yield* open(freya, "Hello", {
        body: mention(loki.id, nobody, loki.id, freya.id, "short", odin.id, nobody)
      })
      const mentioned = [`profile_mention by freya of ${thread.id}`]
      assert.deepStrictEqual(yield* notificationsOf(loki), mentioned)
      assert.deepStrictEqual(yield* notificationsOf(odin), mentioned)
      assert.deepStrictEqual(yield* notificationsOf(freya), [])
      // A mention of an unknown id does not stop later events.
      yield* reply(loki, thread.id, "after")
      assert.deepStrictEqual(yield* notificationsOf(freya), [`thread_reply by loki of ${thread.id}`])
      yield* freya.patch(`/threads/${thread.id}`, { body: mention(loki.id, odin.id) })
      assert.deepStrictEqual(yield* notificationsOf(odin), mentioned)
    })
  )

  it.effect("go to accounts that a draft mentions when it is published", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* deleteAll
      const draft = yield* open(freya, "Draft", { body: mention(loki.id), visibility: "draft" })
      assert.deepStrictEqual(yield* notificationsOf(loki), [])
      assert.strictEqual(ok(yield* loki.get("/accounts")).notifications, 0)
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
      assert.deepStrictEqual(yield* notificationsOf(loki), [`profile_mention by freya of ${draft.id}`])
      assert.strictEqual(ok(yield* loki.get("/accounts")).notifications, 1)
    })
  )

  it.effect("are left out of list and count while they are about posts and their receiver reads none", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* deleteAll
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Locked out", { body: "secret" })
      const mine = yield* reply(freya, thread.id, "mine")
      const answer = yield* reply(loki, thread.id, "answer", { reply_to: mine.id })
      ok(yield* loki.put(`/likes/posts/${mine.id}`))
      ok(yield* loki.put("/profiles/freya/followers"))
      const following = "follow by loki of undefined"
      const all = [
        `post_like by loki of ${mine.id}`,
        `reply_to_reply by loki of ${answer.id}`,
        `thread_reply by loki of ${thread.id}`
      ]
      const state = Effect.gen(function* () {
        const listed = yield* notificationsOf(freya)
        assert.strictEqual(ok(yield* freya.get("/accounts")).notifications, listed.length)
        return listed.toSorted()
      })
      assert.deepStrictEqual(yield* state, [following, ...all])
      const ids = idsOf(ok(yield* freya.get("/notifications")).notifications)
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS') where name = 'Member'`
      assert.deepStrictEqual(yield* state, [following])
      const list = ok(yield* freya.get("/notifications"))
      assert.deepStrictEqual([list.results, list.total_pages], [1, 1])
      const changed = yield* freya.patch("/notifications", {
        notifications: ids.map((id) => ({ id, status: "unread" }))
      })
      for (const one of ok(changed).notifications) assert.notProperty(one, "item")
      yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_THREADS}' where name = 'Member'`
      assert.deepStrictEqual(yield* state, [following, ...all])
    })
  )

  it.effect("are left out of list and count while their post is deleted or hidden", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* deleteAll
      const thread = yield* open(freya, "Fades")
      const mine = yield* reply(loki, thread.id, "mine")
      const answers = yield* Effect.forEach(["a", "b", "c"], (body) =>
        reply(freya, thread.id, body, { reply_to: mine.id })
      )
      const [a, b, c] = idsOf(answers)
      const state = Effect.gen(function* () {
        const events = yield* notificationsOf(loki)
        assert.strictEqual(ok(yield* loki.get("/accounts")).notifications, events.length)
        return events.map((event: string) => event.split(" ").at(-1))
      })
      assert.deepStrictEqual(yield* state, [a, b, c])
      ok(yield* freya.delete(`/posts/${a}`))
      assert.deepStrictEqual(yield* state, [b, c])
      ok(yield* tyr.patch(`/posts/${b}`, { visibility: "review" }))
      assert.deepStrictEqual(yield* state, [c])
      ok(yield* tyr.patch(`/posts/${b}`, { visibility: "published" }))
      assert.deepStrictEqual(yield* state, [b, c])
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "unlisted" }))
      assert.deepStrictEqual(yield* state, [])
      // Moderators still see it.
      yield* deleteAll
      const own = yield* reply(odin, thread.id, "staff")
      const last = yield* reply(freya, thread.id, "to staff", { reply_to: own.id })
      assert.deepStrictEqual(yield* notificationsOf(odin), [`reply_to_reply by freya of ${last.id}`])
      assert.strictEqual(ok(yield* odin.get("/accounts")).notifications, 1)
      ok(yield* freya.delete(`/threads/${thread.id}`))
      assert.deepStrictEqual(yield* notificationsOf(odin), [])
      assert.strictEqual(ok(yield* odin.get("/accounts")).notifications, 0)
    })
  )
})
