import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { BodyTooLong, NotYours, PostNotFound } from "../../src/domain/thread/Post.ts"
import { ThreadHidden, ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

layer(People.layer)("changing posts", (it) => {
  it.effect("the author may edit a reply, which does not count as activity of the thread", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Thread")
      const before = yield* reply(loki, thread.id, '<a href="https://old.test/">old</a>', { meta: { a: 1 } })
      yield* TestClock.adjust("3 seconds")
      const after = ok(
        yield* loki.patch(`/posts/${before.id}`, {
          body: '<a href="https://new.test/">new</a>',
          meta: { b: { c: [] } },
          url: "ignored",
          unknown: true
        })
      )
      const { body_links, ...rest } = after
      const { reply_to: _, root_id: __, root_slug: ___, body_links: ____, ...unchanged } = before
      assert.deepStrictEqual(rest, {
        ...unchanged,
        body: '<body><a href="https://new.test/" rel="nofollow">new</a></body>',
        description: "new",
        meta: { b: { c: [] } },
        updatedAt: after.updatedAt
      })
      assert.strictEqual(body_links[0].url, "https://new.test/")
      assert.strictEqual(Date.parse(after.updatedAt), Date.parse(before.updatedAt) + 3000)
      const read = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.deepStrictEqual(read.replies.replies, [{ ...after, root_id: thread.id, root_slug: thread.slug }])
      assert.strictEqual(read.updatedAt, thread.updatedAt)
      assert.strictEqual(read.last_reply_at, before.createdAt)
    })
  )

  it.effect("a field that is not sent keeps its value", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const thread = yield* open(freya, "Kept")
      const before = yield* reply(freya, thread.id, '<a href="https://kept.test/">x</a>', {
        meta: { kept: 1 }
      })
      const { root_id: _, root_slug: __, ...post } = before
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(ok(yield* freya.patch(`/posts/${before.id}`, {})), post)
      const after = ok(yield* freya.patch(`/posts/${before.id}`, { meta: { kept: 2 } }))
      assert.deepStrictEqual(after, { ...post, meta: { kept: 2 }, updatedAt: after.updatedAt })
      assert.notStrictEqual(after.updatedAt, post.updatedAt)
    })
  )

  it.effect("an opening post is changed by its id or slug, and the thread with it", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const thread = yield* open(freya, "Opening", { tags: ["opening"] })
      const changed = ok(yield* freya.patch(`/posts/${thread.slug}`, { body: "edited", meta: { e: 1 } }))
      assert.strictEqual(changed.id, thread.id)
      assert.strictEqual(changed.title, "Opening")
      assert.strictEqual(changed.slug, thread.slug)
      assert.strictEqual(changed.body, "<body>edited</body>")
      for (const absent of ["replies", "tags", "root_id", "reply_status"]) assert.notProperty(changed, absent)
      ok(yield* tyr.patch(`/posts/${thread.id}`, { visibility: "review" }))
      assertProblem(yield* guest.get(`/threads/${thread.id}`), ThreadHidden)
      const read = ok(yield* freya.get(`/threads/${thread.id}`))
      assert.strictEqual(read.visibility, "review")
      assert.strictEqual(read.tags[0].item_count, 0)
    })
  )

  it.effect("visibility requires MANAGE_POSTS, even for the author", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const thread = yield* open(freya, "Visibility")
      const answer = yield* reply(freya, thread.id, "answer")
      for (const id of [thread.id, answer.id]) {
        assertProblem(yield* freya.patch(`/posts/${id}`, { visibility: "published" }), Forbidden, {
          permission: "MANAGE_POSTS"
        })
        assert.strictEqual(
          ok(yield* tyr.patch(`/posts/${id}`, { visibility: "published" })).visibility,
          "published"
        )
      }
      // The author of a reply in review may still edit it.
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "review" }))
      assert.strictEqual(
        ok(yield* freya.patch(`/posts/${answer.id}`, { body: "better" })).visibility,
        "review"
      )
    })
  )

  it.effect("the length of a reply is checked when it is published, also by a moderator", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const thread = yield* open(freya, "Length")
      const answer = yield* reply(freya, thread.id, "short")
      const body = "x".repeat(10_001)
      for (const person of [freya, tyr]) {
        assertProblem(yield* person.patch(`/posts/${answer.id}`, { body }), BodyTooLong, {
          maximum: 10_000,
          length: 10_001
        })
      }
      const publish = (change: object) =>
        tyr.patch(`/posts/${answer.id}`, { visibility: "published", ...change })
      const tooLong = { maximum: 10_000, length: 10_001 }
      assertProblem(yield* publish({ body }), BodyTooLong, tooLong)
      ok(yield* tyr.patch(`/posts/${answer.id}`, { body, visibility: "review" }))
      assertProblem(yield* publish({}), BodyTooLong, tooLong)
      ok(yield* freya.patch(`/posts/${answer.id}`, { body: body.slice(1) }))
      ok(yield* publish({}))
    })
  )

  it.effect("who may not read a post neither changes nor deletes it, though it is their own", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Hidden since")
      const answer = yield* reply(loki, thread.id, "mine")
      const path = `/posts/${answer.id}`
      const change = { body: "changed" }
      for (const visibility of ["draft", "unlisted", "review"]) {
        ok(yield* tyr.patch(`/threads/${thread.id}`, { visibility, title: "A secret title" }))
        for (const answered of [
          yield* loki.patch(path, change),
          yield* loki.patch(path, {}),
          yield* loki.delete(path)
        ]) {
          assertProblem(answered, ThreadHidden, {})
          assert.notInclude(answered.text, "secret")
        }
      }
      ok(yield* tyr.patch(`/threads/${thread.id}`, { visibility: "published" }))
      for (const visibility of ["draft", "unlisted"]) {
        ok(yield* tyr.patch(path, { visibility }))
        for (const person of [freya, loki]) {
          assertProblem(yield* person.patch(path, change), PostNotFound, { post_id: answer.id })
          assertProblem(yield* person.delete(path), PostNotFound, { post_id: answer.id })
        }
      }
      ok(yield* tyr.patch(path, { visibility: "review" }))
      assertProblem(yield* freya.patch(path, change), PostNotFound, { post_id: answer.id })
      assert.strictEqual(ok(yield* loki.patch(path, change)).body, "<body>changed</body>")
      ok(yield* loki.delete(path))
    })
  )

  it.effect("other members and guests may not change a post, and an unknown post is not found", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Guarded")
      const answer = yield* reply(freya, thread.id, "mine")
      for (const id of [thread.id, answer.id]) {
        const path = `/posts/${id}`
        for (const answered of [yield* loki.patch(path, { body: "theirs" }), yield* loki.delete(path)]) {
          assertProblem(answered, NotYours, {})
        }
        for (const answered of [yield* guest.patch(path, "junk"), yield* guest.delete(path)]) {
          assertProblem(answered, Unauthenticated, {})
        }
        ok(yield* tyr.patch(path, { body: "moderated" }))
      }
      // Nor may those who opened the thread change what others reply.
      const foreign = yield* reply(loki, thread.id, "theirs")
      assertProblem(yield* freya.patch(`/posts/${foreign.id}`, { body: "mine" }), NotYours, {})
      assertProblem(yield* freya.delete(`/posts/${foreign.id}`), NotYours, {})
      for (const id of [nobody, "short", "guarded"]) {
        assertProblem(yield* tyr.patch(`/posts/${id}`, {}), PostNotFound, { post_id: id })
        assertProblem(yield* tyr.delete(`/posts/${id}`), PostNotFound, { post_id: id })
      }
      for (const field of ["body", "meta", "visibility", "url"]) {
        assertInvalid(yield* freya.patch(`/posts/${answer.id}`, { [field]: null }), `body ${field}`)
      }
      assertInvalid(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "gone" }), "body visibility")
    })
  )
})

layer(People.layer)("deleting posts", (it) => {
  it.effect("a deleted reply is removed from the thread, its counts and its quotations", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Shrinks")
      const first = yield* reply(freya, thread.id, "first")
      yield* TestClock.adjust("1 second")
      const second = yield* reply(loki, thread.id, "second", { reply_to: first.id })
      yield* TestClock.adjust("1 second")
      const third = yield* reply(loki, thread.id, "third", { reply_to: second.id })
      const state = Effect.gen(function* () {
        const read = ok(yield* loki.get(`/threads/${thread.id}`))
        const [listed] = ok(yield* loki.get("/threads")).threads
        assert.deepStrictEqual(listed.reply_status, read.reply_status)
        assert.strictEqual(listed.last_reply_at, read.last_reply_at)
        return [idsOf(read.replies.replies), read.reply_status, read.last_reply_at, read.replies.results]
      })
      assert.deepStrictEqual(yield* state, [
        idsOf([first, second, third]),
        { replies: 3, replied: 2 },
        third.createdAt,
        3
      ])

      const deleted = yield* loki.delete(`/posts/${third.id}`)
      assert.strictEqual(deleted.status, 200)
      assert.strictEqual(deleted.text, "")
      assert.strictEqual(deleted.headers["content-length"], "0")
      assert.deepStrictEqual(yield* state, [
        idsOf([first, second]),
        { replies: 2, replied: 1 },
        second.createdAt,
        2
      ])

      ok(yield* freya.delete(`/posts/${first.id}`))
      assert.deepStrictEqual(yield* state, [[second.id], { replies: 1, replied: 1 }, second.createdAt, 1])
      const [left] = ok(yield* guest.get(`/threads/${thread.id}`)).replies.replies
      assert.notProperty(left, "reply_to")

      ok(yield* loki.delete(`/posts/${second.id}`))
      assert.deepStrictEqual(yield* state, [[], { replies: 0, replied: 0 }, undefined, 0])
      assert.notProperty(ok(yield* guest.get(`/threads/${thread.id}`)), "last_reply_at")

      assertProblem(yield* loki.delete(`/posts/${second.id}`), PostNotFound, { post_id: second.id })
      assertProblem(yield* loki.patch(`/posts/${second.id}`, {}), PostNotFound, {
        post_id: second.id
      })
    })
  )

  it.effect("moderators may delete replies, and deleting an opening post deletes the thread", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Goes")
      const answer = yield* reply(loki, thread.id, "goes first")
      ok(yield* tyr.delete(`/posts/${answer.id}`))
      ok(yield* freya.delete(`/posts/${thread.slug}`))
      assertProblem(yield* freya.get(`/threads/${thread.id}`), ThreadNotFound)
      assert.deepStrictEqual(ok(yield* freya.get("/threads?q=Goes")).threads, [])
    })
  )
})
