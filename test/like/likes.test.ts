import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { likesMax } from "../../src/domain/like/Like.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { ThreadHidden } from "../../src/domain/thread/Thread.ts"
import { type Answer, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person, reinstate, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

interface Post {
  readonly id: string
}

const likesOf = (post: Post) => `/likes/posts/${post.id}`

const like = (who: Person, post: Post) => Effect.map(who.put(likesOf(post)), ok)

const unlike = (who: Person, post: Post) => Effect.map(who.delete(likesOf(post)), ok)

/** Who likes a post, as a reader sees it. */
const likers = (reader: Person, post: Post) =>
  Effect.map(reader.get(likesOf(post)), (answer) =>
    ok(answer).likes.map((one: Answer["json"]) => one.owner.handle)
  )

layer(People.layer)("likes", (it) => {
  it.effect("of a post are listed oldest first, and counted at that post only", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Liked")
      const answer = yield* reply(loki, thread.id, "reply")
      const liked = yield* odin.put(likesOf(thread))
      assert.deepStrictEqual([liked.status, liked.text], [200, ""])
      assert.strictEqual(liked.headers["content-length"], "0")
      yield* TestClock.adjust("1 second")
      yield* like(freya, thread)
      yield* like(freya, answer)
      assert.deepStrictEqual(yield* likers(guest, thread), ["odin", "freya"])
      assert.deepStrictEqual(yield* likers(guest, answer), ["freya"])
      const [first, second] = ok(yield* guest.get(likesOf(thread))).likes
      assert.deepStrictEqual(Object.keys(first).sort(), ["created_at", "id", "owner"])
      assert.isBelow(Date.parse(first.created_at), Date.parse(second.created_at))
      assert.isNotEmpty(first.owner.roles)

      const read = ok(yield* freya.get(`/threads/${thread.id}`))
      assert.deepStrictEqual(read.likes, { likes: 2, liked: true })
      assert.deepStrictEqual(read.replies.replies[0].likes, { likes: 1, liked: true })
      assert.deepStrictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).likes, { likes: 2, liked: false })
    })
  )

  it.effect("are given once and taken back once, however often they are asked for", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Often")
      const events = sql`select tag from event_log where event->>'post_id' = ${thread.id} order by id`
      yield* unlike(loki, thread)
      yield* Effect.all(
        Array.from({ length: 50 }, () => like(loki, thread)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* likers(guest, thread), ["loki"])
      assert.deepStrictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).likes.likes, 1)
      assert.deepStrictEqual(yield* events, [{ tag: "PostLiked" }])
      yield* Effect.all(
        Array.from({ length: 20 }, () => unlike(loki, thread)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* likers(guest, thread), [])
      assert.deepStrictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).likes.likes, 0)
      assert.deepStrictEqual(yield* events, [{ tag: "PostLiked" }, { tag: "PostUnliked" }])
    })
  )

  it.effect("of several accounts at the same time are all kept, beside replies and changes", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Crowded")
      const answer = yield* reply(loki, thread.id, "reply")
      const everyone = [freya, loki, odin, tyr]
      const calls = everyone.flatMap((who) => [
        who.put(likesOf(thread)),
        who.put(likesOf(answer)),
        who.put(`/posts/${answer.id}/reacts`, { emoji: "🎉" }),
        who.post(`/threads/${thread.id}/replies`, { body: "another" }),
        loki.patch(`/posts/${answer.id}`, { body: `by ${who.id}` }),
        freya.patch(`/threads/${thread.id}`, { tags: [who.id.slice(0, 19)] })
      ])
      for (const answered of yield* Effect.all(calls, { concurrency: "unbounded" })) ok(answered)
      const read = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.deepStrictEqual(
        [read.likes.likes, read.replies.replies[0].likes.likes, read.replies.replies[0].reacts.length],
        [4, 4, 4]
      )
    })
  )

  it.effect("change the ETag of the thread, and not when nothing changes", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "ETags")
      const answer = yield* reply(freya, thread.id, "reply")
      const path = `/threads/${thread.id}`
      for (const post of [thread, answer]) {
        const seen = new Set([yield* etagOf(guest, path)])
        for (const change of [like, unlike, like, unlike]) {
          yield* change(loki, post)
          const tag = yield* etagOf(guest, path)
          assert.isFalse(seen.has(tag))
          seen.add(tag)
          yield* change(loki, post)
          assert.strictEqual((yield* guest.get(path, ifNoneMatch(tag))).status, 304)
        }
      }
    })
  )

  it.effect("find their post by the id or the slug of a thread", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "By its slug")
      yield* like(loki, { id: thread.slug })
      assert.deepStrictEqual(yield* likers(guest, { id: `${thread.id}-anything` }), ["loki"])
      yield* unlike(loki, { id: thread.slug })
      assert.deepStrictEqual(yield* likers(guest, thread), [])
    })
  )

  it.effect("do not show the signatures of their accounts", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      ok(yield* loki.patch("/accounts", { signature: "<p>long</p>" }))
      const thread = yield* open(freya, "Signatures")
      yield* like(loki, thread)
      assert.notProperty(ok(yield* guest.get(likesOf(thread))).likes[0].owner, "signature")
    })
  )

  it.effect("of a post are listed up to a limit, the first of them, and all are counted", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Popular")
      const crowd = likesMax + 5
      yield* sql`insert into accounts (id, created_at, updated_at, handle, handle_key, name)
        select 'acrod' || lpad(n::text, 14, '0') || '0', now(), now(), 'crowd-' || n, 'crowd-' || n, 'crowd'
        from generate_series(1, ${crowd}::int) n`
      // In another order than that of their ids, and all at the same time.
      yield* sql`insert into likes (id, post_id, thread_id, account_id, created_at)
        select 'like0' || lpad((${crowd}::int - n)::text, 14, '0') || '0', ${thread.id}, ${thread.id},
          'acrod' || lpad(n::text, 14, '0') || '0', 'epoch'
        from generate_series(1, ${crowd}::int) n`
      yield* like(loki, thread)
      const { likes } = ok(yield* guest.get(likesOf(thread)))
      assert.deepStrictEqual(
        likes.map((one: Answer["json"]) => one.owner.handle),
        Array.from({ length: likesMax }, (_, n) => `crowd-${crowd - n}`)
      )
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).likes.likes, crowd + 1)
    })
  )
})

layer(People.layer)("likes of what the caller may not read", (it) => {
  const assertRefused = Effect.fnUntraced(function* (
    who: Person,
    post: Post,
    refused: (answer: Answer) => void
  ) {
    refused(yield* who.put(likesOf(post)))
    refused(yield* who.delete(likesOf(post)))
  })

  it.effect("are refused as reading it is, and none are shown", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      for (const visibility of ["draft", "unlisted", "review"]) {
        const thread = yield* open(freya, visibility)
        const answer = yield* reply(loki, thread.id, "reply")
        for (const post of [thread, answer]) yield* like(odin, post)
        ok(yield* freya.patch(`/threads/${thread.id}`, { visibility }))
        for (const post of [thread, answer]) {
          yield* assertRefused(loki, post, (refused) => assertProblem(refused, ThreadHidden))
          for (const reader of [guest, loki]) assert.deepStrictEqual(yield* likers(reader, post), [])
          for (const reader of [freya, tyr, odin]) {
            assert.deepStrictEqual(yield* likers(reader, post), ["odin"])
          }
          yield* like(freya, post)
        }
      }
    })
  )

  it.effect("are refused of a reply that only some may read, and none are shown", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const thread = yield* open(freya, "Held")
      const answer = yield* reply(loki, thread.id, "reply")
      yield* like(odin, answer)
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "review" }))
      yield* assertRefused(freya, answer, (refused) => assertProblem(refused, PostNotFound))
      for (const reader of [guest, freya]) assert.deepStrictEqual(yield* likers(reader, answer), [])
      for (const reader of [loki, tyr, odin]) assert.deepStrictEqual(yield* likers(reader, answer), ["odin"])
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "unlisted" }))
      yield* assertRefused(loki, answer, (refused) => assertProblem(refused, PostNotFound))
      assert.deepStrictEqual(yield* likers(loki, answer), [])
      assert.deepStrictEqual(yield* likers(tyr, answer), ["odin"])
    })
  )

  it.effect("are refused of what is deleted or never was, and none are shown", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Deleted")
      const [answer, other] = [yield* reply(loki, thread.id, "one"), yield* reply(loki, thread.id, "two")]
      for (const post of [thread, answer, other]) yield* like(loki, post)
      ok(yield* loki.delete(`/posts/${answer.id}`))
      const assertGone = Effect.fnUntraced(function* (post: Post) {
        yield* assertRefused(odin, post, (refused) =>
          assertProblem(refused, PostNotFound, { post_id: post.id })
        )
        for (const reader of [guest, loki, odin]) assert.deepStrictEqual(yield* likers(reader, post), [])
      })
      yield* assertGone(answer)
      assert.deepStrictEqual(yield* likers(guest, other), ["loki"])
      ok(yield* freya.delete(`/threads/${thread.id}`))
      for (const post of [thread, other, { id: nobody }, { id: "none" }]) yield* assertGone(post)
    })
  )

  it.effect("are taken back also of what was hidden or deleted since, once, and show nothing", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Withdrawn")
      const replies = yield* Effect.forEach(["held", "unlisted", "deleted", "left"], (body) =>
        reply(freya, thread.id, body)
      )
      const [held, unlisted, deleted, left] = replies
      for (const post of [thread, ...replies]) yield* like(loki, post)
      ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "review" }))
      ok(yield* tyr.patch(`/posts/${unlisted.id}`, { visibility: "unlisted" }))
      ok(yield* freya.delete(`/posts/${deleted.id}`))
      const unliked = sql`select event->>'post_id' as post, event->>'root_post_id' as thread from event_log
        where tag = 'PostUnliked' order by id`
      const before = yield* unliked
      const takeBack = Effect.fnUntraced(function* (
        post: Post,
        problem: typeof PostNotFound | typeof ThreadHidden
      ) {
        const answer = yield* loki.delete(likesOf(post))
        assert.deepStrictEqual([answer.status, answer.text], [200, ""])
        assertProblem(yield* loki.delete(likesOf(post)), problem)
      })
      for (const post of [held, unlisted, deleted]) yield* takeBack(post, PostNotFound)
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "draft" }))
      yield* takeBack(thread, ThreadHidden)
      ok(yield* freya.delete(`/threads/${thread.id}`))
      yield* takeBack(left, PostNotFound)
      const expected = [held, unlisted, deleted, thread, left].map(({ id }) => ({
        post: id,
        thread: thread.id
      }))
      assert.deepStrictEqual((yield* unliked).slice(before.length), expected)
      assert.deepStrictEqual(yield* sql`select from likes where thread_id = ${thread.id}`, [])
    })
  )

  it.effect("are refused of guests, suspended accounts, and those who may not read threads", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Forbidden")
      yield* like(freya, thread)
      yield* assertRefused(guest, thread, (refused) => assertProblem(refused, Unauthenticated))
      yield* suspend(loki)
      yield* assertRefused(loki, thread, (refused) => assertProblem(refused, AccountSuspended))
      assert.deepStrictEqual(yield* likers(loki, thread), [])
      yield* reinstate(loki)
      const permission = "READ_PUBLISHED_THREADS"
      yield* sql`update roles set permissions = array_remove(permissions, ${permission}) where name <> 'Admin'`
      yield* assertRefused(loki, thread, (refused) =>
        refused.request.startsWith("DELETE")
          ? assertProblem(refused, PostNotFound)
          : assertProblem(refused, Forbidden, { permission })
      )
      for (const reader of [guest, loki]) assert.deepStrictEqual(yield* likers(reader, thread), [])
      yield* sql`update roles set permissions = permissions || ${[permission]}::text[] where name <> 'Admin'`
      assert.deepStrictEqual(yield* likers(guest, thread), ["freya"])
    })
  )
})
