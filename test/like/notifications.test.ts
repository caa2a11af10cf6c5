import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, type Person } from "../support/people.ts"

interface Post {
  readonly id: string
}

const like = (who: Person, post: Post) => Effect.map(who.put(`/likes/posts/${post.id}`), ok)
const unlike = (who: Person, post: Post) => Effect.map(who.delete(`/likes/posts/${post.id}`), ok)

/** What a person is told of likes, newest first. */
const told = (who: Person) =>
  Effect.gen(function* () {
    yield* drainEvents
    const { notifications } = ok(yield* who.get("/notifications"))
    return notifications
      .filter(({ event }: Answer["json"]) => event === "post_like")
      .map(
        ({ item, source, status }: Answer["json"]) =>
          `${source.handle} ${item.kind} ${item.ref.id} ${item.ref.likes.likes} ${status}`
      )
  })

layer(People.layer)("a notification of a like", (it) => {
  it.effect("goes to the author of the post, with the post, and to nobody for their own", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(freya, "Liked")
      const answer = yield* reply(loki, thread.id, "reply")
      yield* like(odin, thread)
      yield* like(freya, thread)
      yield* like(odin, answer)
      assert.deepStrictEqual(yield* told(freya), [`odin post ${thread.id} 2 unread`])
      assert.deepStrictEqual(yield* told(loki), [`odin post ${answer.id} 1 unread`])
      assert.deepStrictEqual(yield* told(odin), [])
      const { notifications } = ok(yield* loki.get("/notifications"))
      assert.strictEqual(notifications[0].item.ref.slug, thread.slug)
    })
  )

  it.effect("comes once from each account, however often it likes the post again", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const thread = yield* open(loki, "Again")
      const before = yield* told(loki)
      // All of these are read at once, and then one by one.
      for (const who of [freya, odin, freya]) {
        yield* like(who, thread)
        yield* unlike(who, thread)
        yield* like(who, thread)
      }
      const expected = [`odin post ${thread.id} 2 unread`, `freya post ${thread.id} 2 unread`]
      assert.deepStrictEqual(yield* told(loki), [...expected, ...before])
      yield* unlike(freya, thread)
      yield* drainEvents
      yield* like(freya, thread)
      assert.deepStrictEqual(yield* told(loki), [...expected, ...before])
      // Another post is another cause.
      const other = yield* open(loki, "Another")
      yield* like(freya, other)
      assert.deepStrictEqual(yield* told(loki), [`freya post ${other.id} 1 unread`, ...expected, ...before])
    })
  )

  it.effect("that was read is not unread again", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      const thread = yield* open(tyr, "Read")
      yield* like(freya, thread)
      yield* drainEvents
      const { id } = ok(yield* tyr.get("/notifications")).notifications[0]
      ok(yield* tyr.patch(`/notifications/${id}`, { status: "read" }))
      yield* unlike(freya, thread)
      yield* like(freya, thread)
      assert.deepStrictEqual(yield* told(tyr), [`freya post ${thread.id} 1 read`])
    })
  )

  it.effect("is not shown while its receiver may not read the post", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from notifications`
      const thread = yield* open(freya, "Hidden")
      const answer = yield* reply(loki, thread.id, "reply")
      yield* like(freya, answer)
      assert.strictEqual((yield* told(loki)).length, 1)
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "draft" }))
      assert.deepStrictEqual(yield* told(loki), [])
    })
  )
})
