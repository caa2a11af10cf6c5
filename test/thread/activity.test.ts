/** When a thread was active last, which lists are sorted by: what cannot be read does not count. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { ok, titlesOf } from "../support/answers.ts"
import { category, open, reply } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"
import { changeModeration } from "../support/settings.ts"

/** What the list and the page say of the activity of a thread, to anyone. */
const activityOf = Effect.fnUntraced(function* (reader: Person, id: string) {
  const read = ok(yield* reader.get(`/threads/${id}`))
  const listed: ReadonlyArray<{ id: string; last_reply_at?: string }> = ok(
    yield* reader.get("/threads")
  ).threads
  assert.strictEqual(listed.find((thread) => thread.id === id)?.last_reply_at, read.last_reply_at)
  return read.last_reply_at
})

const aSecond = TestClock.adjust("1 second")

const now = Effect.map(DateTime.now, DateTime.formatIso)

layer(People.layer)("the activity of a thread", (it) => {
  it.effect("a held reply lifts it when it is published, not when it is made", () =>
    Effect.gen(function* () {
      yield* changeModeration({ word_report_list: ["dubious"] })
      const { freya, loki, odin, tyr } = yield* Cast
      const place = yield* category(odin, "Place")
      const older = yield* open(freya, "Older", { category: place.id, tags: ["tag"] })
      yield* aSecond
      yield* open(freya, "Newer", { category: place.id, tags: ["tag"] })
      const orders = Effect.forEach(
        ["/threads", "/threads?ignore_pinned=true", "/threads?author=freya", "/threads?categories=place"],
        (path) => Effect.map(guest.get(path), (answer) => titlesOf(ok(answer)).join())
      )
      const ofTag = Effect.map(guest.get("/tags/tag"), (answer) =>
        ok(answer).items.map(({ ref }: { ref: { title: string } }) => ref.title)
      )
      yield* aSecond
      const held = yield* reply(loki, older.id, "dubious")
      assert.strictEqual(held.visibility, "review")
      for (const reader of [guest, loki, tyr]) assert.isUndefined(yield* activityOf(reader, older.id))
      assert.deepStrictEqual([...new Set(yield* orders)], ["Newer,Older"])
      assert.deepStrictEqual(yield* ofTag, ["Newer", "Older"])

      yield* aSecond
      const tag = yield* etagOf(guest, `/threads/${older.id}`)
      ok(yield* tyr.patch(`/posts/${held.id}`, { visibility: "published" }))
      assert.strictEqual(yield* activityOf(guest, older.id), yield* now)
      assert.notStrictEqual(yield* now, held.createdAt)
      assert.strictEqual((yield* guest.get(`/threads/${older.id}`, ifNoneMatch(tag))).status, 200)
      assert.deepStrictEqual([...new Set(yield* orders)], ["Older,Newer"])
      assert.deepStrictEqual(yield* ofTag, ["Older", "Newer"])
    })
  )

  it.effect("hiding and deleting set it back to the newest published reply, when that was published", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Set back")
      const replies = yield* Effect.forEach(["a", "b", "c", "d"], (body) =>
        Effect.andThen(aSecond, reply(loki, thread.id, body))
      )
      const [a, b, c, d] = replies
      const activity = activityOf(guest, thread.id)
      const show = (id: string, visibility: string) =>
        Effect.andThen(aSecond, Effect.map(tyr.patch(`/posts/${id}`, { visibility }), ok))
      for (const hidden of ["review", "unlisted", "draft"]) {
        yield* show(d.id, hidden)
        assert.strictEqual(yield* activity, c.createdAt, hidden)
        // From one that nobody reads to another: nothing happens.
        yield* show(d.id, "review")
        assert.strictEqual(yield* activity, c.createdAt, hidden)
        yield* show(d.id, "published")
        assert.strictEqual(yield* activity, yield* now)
      }
      const shownAgain = yield* now
      yield* show(b.id, "review")
      assert.strictEqual(yield* activity, shownAgain)
      yield* show(b.id, "published")
      const last = yield* now
      assert.strictEqual(yield* activity, last)
      // What is not published, and what was said before, change nothing.
      yield* show(c.id, "review")
      ok(yield* tyr.delete(`/posts/${c.id}`))
      ok(yield* loki.delete(`/posts/${a.id}`))
      assert.strictEqual(yield* activity, last)
      // The newest is the one that was published last.
      ok(yield* loki.delete(`/posts/${b.id}`))
      assert.strictEqual(yield* activity, shownAgain)
      ok(yield* loki.delete(`/posts/${d.id}`))
      assert.isUndefined(yield* activity)
    })
  )

  it.effect("an edit that moderation holds takes the reply's part of it, and its author gives it back", () =>
    Effect.gen(function* () {
      yield* changeModeration({ word_report_list: ["dubious"] })
      const { freya, loki, tyr } = yield* Cast
      const thread = yield* open(freya, "Edited")
      const answer = yield* reply(loki, thread.id, "fine")
      yield* aSecond
      ok(yield* loki.patch(`/posts/${answer.id}`, { body: "still fine" }))
      assert.strictEqual(yield* activityOf(guest, thread.id), answer.createdAt)
      ok(yield* loki.patch(`/posts/${answer.id}`, { body: "dubious" }))
      assert.isUndefined(yield* activityOf(guest, thread.id))
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "published" }))
      assert.strictEqual(yield* activityOf(guest, thread.id), yield* now)
    })
  )

  it.effect("a held reply keeps the order in which replies are made when a clock is set back", () =>
    Effect.gen(function* () {
      yield* changeModeration({ word_report_list: ["dubious"] })
      const { freya, loki } = yield* Cast
      yield* TestClock.adjust("1 hour")
      const thread = yield* open(freya, "Clock")
      yield* TestClock.adjust("1 hour")
      const held = yield* reply(loki, thread.id, "dubious")
      yield* TestClock.setTime(Date.parse(held.createdAt) - 60_000)
      const next = yield* reply(freya, thread.id, "fine")
      assert.strictEqual(next.createdAt, held.createdAt)
      assert.strictEqual(yield* activityOf(guest, thread.id), held.createdAt)
    })
  )
})
