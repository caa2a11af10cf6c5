import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { BodyTooLong } from "../../src/domain/thread/Post.ts"
import { ReplyTargetUnknown, ThreadIsReply } from "../../src/domain/thread/Reply.ts"
import { ThreadHidden, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { EventSignal } from "../../src/persistence/event/EventLogSql.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

layer(People.layer)("replying", (it) => {
  it.effect("the answer shows everything that was sent; the thread is active, but not updated", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Ask", { body: "question" })
      yield* TestClock.adjust("5 seconds")
      const answer = ok(
        yield* loki.post(`/threads/${thread.slug}/replies`, {
          body: '<p onclick="x()">see <a href="https://answer.test/#a">this</a></p>',
          meta: { tone: "calm" },
          url: "not even an address",
          visibility: "draft"
        })
      )
      const { author, body_links, id, ...rest } = answer
      assert.deepStrictEqual(rest, {
        createdAt: answer.createdAt,
        updatedAt: answer.createdAt,
        misc: {},
        title: "Ask",
        description: "see this",
        slug: `${thread.slug}#${id}`,
        visibility: "published",
        assets: [],
        reacts: [],
        collections: { in_collections: 0, has_collected: false },
        likes: { likes: 0, liked: false },
        meta: { tone: "calm" },
        body: '<body><p>see <a href="https://answer.test/#a" rel="nofollow">this</a></p></body>',
        root_id: thread.id,
        root_slug: thread.slug
      })
      assert.strictEqual(author.handle, "loki")
      assert.strictEqual(body_links[0].url, "https://answer.test/")
      assert.strictEqual(Date.parse(answer.createdAt), Date.parse(thread.createdAt) + 5000)

      const read = ok(yield* loki.get(`/threads/${thread.id}`))
      assert.deepStrictEqual(read.replies.replies, [answer])
      assert.strictEqual(read.updatedAt, thread.updatedAt)
      assert.strictEqual(read.last_reply_at, answer.createdAt)
      assert.deepStrictEqual(read.reply_status, { replies: 1, replied: 1 })
    })
  )

  it.effect("a clock that is set back changes neither the order nor makes a reply older than the last", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* TestClock.adjust("1 hour")
      const thread = yield* open(freya, "Clock")
      yield* TestClock.adjust("10 minutes")
      const first = yield* reply(loki, thread.id, "first")
      const now = Date.parse(first.createdAt)
      yield* TestClock.setTime(now - 300_000)
      const second = yield* reply(freya, thread.id, "second")
      yield* TestClock.setTime(now - 200_000)
      const third = yield* reply(loki, thread.id, "third")
      yield* TestClock.setTime(now)
      const read = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.deepStrictEqual(idsOf(read.replies.replies), idsOf([first, second, third]))
      for (const later of [second, third]) assert.strictEqual(later.createdAt, first.createdAt)
      assert.strictEqual(read.last_reply_at, first.createdAt)
    })
  )

  it.effect("nothing becomes older by a clock that is set back before the thread was opened", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* TestClock.adjust("1 hour")
      const other = yield* open(freya, "Opened first")
      const thread = yield* open(freya, "Opened last")
      yield* TestClock.setTime(Date.parse(thread.createdAt) - 1_000_000)
      const answer = yield* reply(loki, thread.id, "early")
      assert.strictEqual(answer.createdAt, thread.createdAt)
      const [first, second] = ok(yield* guest.get("/threads")).threads
      assert.deepStrictEqual([first.id, second.id], [thread.id, other.id])
      assert.strictEqual(first.last_reply_at, thread.createdAt)
      const changed = [
        ok(yield* freya.patch(`/threads/${thread.id}`, { title: "Changed" })),
        ok(yield* freya.patch(`/posts/${thread.id}`, { body: "changed" })),
        ok(yield* loki.patch(`/posts/${answer.id}`, { body: "changed" }))
      ]
      for (const { updatedAt } of changed) assert.strictEqual(updatedAt, thread.createdAt)
    })
  )

  it.effect("a reply wakes the readers of the event log, whatever it contains", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Followed")
      const signal = yield* (yield* EventSignal).listen
      for (const body of ["plain", '<a href="https://followed.test">linked</a>']) {
        yield* Queue.clear(signal)
        yield* reply(loki, thread.id, body)
        assert.strictEqual(yield* Queue.size(signal), 1, body)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("a reply to a post that the caller cannot see is refused", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "here")
      const elsewhere = yield* open(freya, "elsewhere")
      const foreign = yield* reply(loki, elsewhere.id, "foreign")
      const deleted = yield* reply(loki, thread.id, "deleted")
      ok(yield* loki.delete(`/posts/${deleted.id}`))
      const hidden = yield* reply(loki, thread.id, "hidden")
      ok(yield* tyr.patch(`/posts/${hidden.id}`, { visibility: "draft" }))
      const path = `/threads/${thread.id}/replies`
      for (const reply_to of [foreign.id, elsewhere.id, deleted.id, hidden.id, nobody]) {
        assertProblem(yield* freya.post(path, { body: "to what?", reply_to }), ReplyTargetUnknown, {
          reply_to
        })
      }
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).reply_status.replies, 0)
      assert.strictEqual(ok(yield* tyr.get(`/threads/${thread.id}`)).reply_status.replies, 1)
      // A moderator sees the hidden reply, and may reply to it.
      assert.strictEqual(
        (yield* reply(tyr, thread.id, "seen", { reply_to: hidden.id })).reply_to.id,
        hidden.id
      )
    })
  )

  it.effect("a reply in a thread that is deleted, unknown, not published or itself a reply is refused", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "thread")
      const answer = yield* reply(loki, thread.id, "answer")
      const post = (mark: string) => loki.post(`/threads/${mark}/replies`, { body: "x" })
      assertProblem(yield* post(answer.id), ThreadIsReply, { thread_mark: answer.id })
      for (const mark of [nobody, "short", "no-such-slug-anywhere"]) {
        assertProblem(yield* post(mark), ThreadNotFound, { thread_mark: mark })
      }
      for (const visibility of ["draft", "unlisted", "review"]) {
        const hidden = yield* open(freya, visibility, { visibility })
        assertProblem(yield* post(hidden.id), ThreadHidden, {})
        for (const person of [freya, odin]) yield* reply(person, hidden.id, "may")
      }
      ok(yield* loki.delete(`/posts/${answer.id}`))
      assertProblem(yield* post(answer.id), ThreadNotFound, { thread_mark: answer.id })
      ok(yield* freya.delete(`/threads/${thread.id}`))
      assertProblem(yield* post(thread.slug), ThreadNotFound, { thread_mark: thread.slug })
    })
  )

  it.effect("a session and CREATE_POST are checked before the body", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "checked")
      const path = `/threads/${thread.id}/replies`
      assertProblem(yield* guest.post(path, "junk"), Unauthenticated, {})
      yield* sql`update roles set permissions = array_remove(permissions, 'CREATE_POST') where name = 'Member'`
      assertProblem(yield* loki.post(path, "junk"), Forbidden, { permission: "CREATE_POST" })
      yield* sql`update roles set permissions = permissions || '{CREATE_POST}' where name = 'Member'`
      yield* reply(loki, thread.id, "again")
    })
  )

  it.effect("every field that is missing, too long or of the wrong type is named", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "strict")
      const path = `/threads/${thread.id}/replies`
      assertInvalid(yield* freya.post(path), "body body")
      assertInvalid(
        yield* freya.post(path, { body: null, reply_to: "x", meta: 1, url: 2 }),
        "body body",
        "body reply_to",
        "body meta",
        "body url"
      )
      for (const field of ["reply_to", "meta", "url"]) {
        assertInvalid(yield* freya.post(path, { body: "x", [field]: null }), `body ${field}`)
      }
      yield* reply(freya, thread.id, `<p>${"x".repeat(10_000)}</p>`)
      assertProblem(yield* freya.post(path, { body: "x".repeat(10_001) }), BodyTooLong, {
        maximum: 10_000,
        length: 10_001
      })
      assert.strictEqual((yield* reply(freya, thread.id, "")).body, "<body></body>")
    })
  )
})
