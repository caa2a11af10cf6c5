/** The like score of a profile: likes of others, on what can be read by all. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person, suspend } from "../support/people.ts"

const scoreOf = Effect.fnUntraced(function* (handle: string) {
  const listed: ReadonlyArray<{ handle: string; like_score: number }> = ok(
    yield* guest.get("/profiles")
  ).profiles
  const { like_score } = ok(yield* guest.get(`/profiles/${handle}`))
  assert.strictEqual(listed.find((profile) => profile.handle === handle)?.like_score, like_score)
  return like_score
})

const like = (who: Person, post: { readonly id: string }) =>
  Effect.map(who.put(`/likes/posts/${post.id}`), ok)

layer(People.layer)("the like score", (it) => {
  it.effect("counts neither own likes nor those of drafts", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const draft = yield* open(freya, "Draft", { visibility: "draft" })
      const thread = yield* open(freya, "Thread")
      const answer = yield* reply(freya, thread.id, "reply")
      for (const post of [draft, thread, answer]) yield* like(freya, post)
      yield* like(odin, draft)
      assert.strictEqual(yield* scoreOf("freya"), 0)
      ok(yield* freya.patch(`/threads/${draft.id}`, { visibility: "published" }))
      assert.strictEqual(yield* scoreOf("freya"), 1)
      for (const post of [draft, thread, answer]) ok(yield* freya.delete(`/likes/posts/${post.id}`))
      assert.strictEqual(yield* scoreOf("freya"), 1)
      ok(yield* freya.delete(`/threads/${draft.id}`))
      assert.strictEqual(yield* scoreOf("freya"), 0)
    })
  )

  it.effect(
    "follows what is hidden, published and deleted: replies, threads, and replies with their thread",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin, tyr } = yield* Cast
        const thread = yield* open(loki, "Thread")
        const shown = yield* reply(loki, thread.id, "shown")
        const hidden = yield* reply(loki, thread.id, "hidden")
        const foreign = yield* reply(tyr, thread.id, "another's")
        for (const post of [thread, shown, hidden, foreign])
          for (const who of [odin, freya]) yield* like(who, post)
        const scores = Effect.all([scoreOf("loki"), scoreOf("tyr")])
        const show = (path: string, visibility: string) => Effect.map(tyr.patch(path, { visibility }), ok)
        assert.deepStrictEqual(yield* scores, [6, 2])
        yield* show(`/posts/${hidden.id}`, "review")
        assert.deepStrictEqual(yield* scores, [4, 2])
        for (const visibility of ["unlisted", "review", "draft"]) {
          yield* show(`/threads/${thread.id}`, visibility)
          assert.deepStrictEqual(yield* scores, [0, 0], visibility)
        }
        // What happens in a hidden thread shows when the thread is published.
        ok(yield* odin.delete(`/likes/posts/${shown.id}`))
        yield* show(`/posts/${hidden.id}`, "published")
        ok(yield* tyr.delete(`/posts/${foreign.id}`))
        assert.deepStrictEqual(yield* scores, [0, 0])
        yield* show(`/posts/${thread.id}`, "published")
        assert.deepStrictEqual(yield* scores, [5, 0])

        ok(yield* loki.delete(`/posts/${hidden.id}`))
        assert.deepStrictEqual(yield* scores, [3, 0])
        // Of what is hidden already nothing is taken away.
        yield* show(`/posts/${shown.id}`, "review")
        assert.deepStrictEqual(yield* scores, [2, 0])
        ok(yield* tyr.delete(`/posts/${shown.id}`))
        assert.deepStrictEqual(yield* scores, [2, 0])
        yield* suspend(freya)
        assert.deepStrictEqual(yield* scores, [2, 0])
        ok(yield* loki.delete(`/threads/${thread.id}`))
        assert.deepStrictEqual(yield* scores, [0, 0])
      })
  )
})
