/** In how many collections a thread is, and whether its viewer has collected it, wherever it is shown. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, type Person } from "../support/people.ts"
import { add, create, remove } from "./support.ts"

interface Shown {
  readonly in_collections: number
  readonly has_collected: boolean
}

/** What each way to read a thread shows: they have to agree. */
const shownTo = Effect.fnUntraced(function* (person: Person, thread: string) {
  const page: Shown = ok(yield* person.get(`/threads/${thread}`)).collections
  for (const list of ["/threads", "/threads?author=freya", "/threads?q=counted"]) {
    const listed = ok(yield* person.get(list)).threads.find(
      ({ id }: { readonly id: string }) => id === thread
    )
    assert.deepStrictEqual(listed.collections, page, list)
  }
  return [page.in_collections, page.has_collected] as const
})

layer(People.layer)("a thread", (it) => {
  it.effect("shows in how many collections it is, and each viewer whether it is in one of theirs", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const { id } = yield* open(freya, "Counted")
      const everyone = [guest, freya, loki, odin]
      const assertShown = Effect.fnUntraced(function* (count: number, collectors: ReadonlyArray<Person>) {
        for (const person of everyone) {
          const expected = [count, collectors.includes(person)] as const
          assert.deepStrictEqual(yield* shownTo(person, id), expected, `${person.id || "guest"} of ${count}`)
        }
      })
      const [first, second] = [yield* create(freya, "First"), yield* create(freya, "Second")]
      const third = yield* create(loki, "Third")
      yield* assertShown(0, [])
      yield* add(freya, first.id, id)
      yield* assertShown(1, [freya])
      yield* add(freya, second.id, id)
      yield* add(freya, second.id, id)
      yield* assertShown(2, [freya])
      // A submission counts for nobody until it is accepted.
      yield* add(tyr, third.id, id)
      yield* assertShown(2, [freya])
      yield* add(loki, third.id, id)
      yield* assertShown(3, [freya, loki])
      yield* remove(freya, first.id, id)
      yield* assertShown(2, [freya, loki])
      yield* freya.delete(`/collections/${second.id}`)
      yield* assertShown(1, [loki])
      yield* remove(loki, third.id, id)
      yield* assertShown(0, [])
    })
  )

  it.effect("shows the same in answers to changes and as an item of others", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Elsewhere")
      assert.deepStrictEqual(thread.collections, { in_collections: 0, has_collected: false })
      const [mine, theirs] = [yield* create(freya, "Mine"), yield* create(loki, "Theirs")]
      yield* add(freya, mine.id, thread.id)
      yield* add(loki, theirs.id, thread.id)
      yield* reply(loki, thread.id, "answer")
      yield* drainEvents
      const expected = { in_collections: 2, has_collected: true }
      const path = `/threads/${thread.id}`
      assert.deepStrictEqual(ok(yield* freya.patch(path, { title: "Elsewhere too" })).collections, expected)
      const changed = ok(yield* freya.patch(`/posts/${thread.id}`, { meta: { a: 1 } }))
      assert.deepStrictEqual(changed.collections, expected)
      const [notification] = ok(yield* freya.get("/notifications")).notifications
      assert.deepStrictEqual(notification.item.ref.collections, expected)
      const itemOf = (person: Person, collection: string) =>
        Effect.map(
          person.get(`/collections/${collection}`),
          (answer) => ok(answer).items[0].item.ref.collections
        )
      for (const person of [freya, loki]) {
        assert.deepStrictEqual(yield* itemOf(person, theirs.id), expected)
      }
      const forGuest = { in_collections: 2, has_collected: false }
      assert.deepStrictEqual(yield* itemOf(guest, theirs.id), forGuest)
      yield* remove(loki, theirs.id, thread.id)
      assert.deepStrictEqual(ok(yield* loki.get(path)).collections, {
        in_collections: 1,
        has_collected: false
      })
    })
  )

  it.effect("counts none of its replies, which show no collections", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Replies")
      const answer = yield* reply(loki, thread.id, "answer")
      const { id } = yield* create(freya, "Replies")
      yield* add(freya, id, answer.id)
      const none = { in_collections: 0, has_collected: false }
      const read = () => Effect.map(freya.get(`/threads/${thread.id}`), ok)
      const { collections, replies } = yield* read()
      assert.deepStrictEqual([collections, replies.replies[0].collections], [none, none])
      // A reply to the post that opens the thread shows it as such.
      yield* reply(loki, thread.id, "to the thread", { reply_to: thread.id })
      yield* add(freya, id, thread.id)
      const collected = yield* read()
      assert.deepStrictEqual(collected.collections, { in_collections: 1, has_collected: true })
      for (const one of collected.replies.replies) assert.deepStrictEqual(one.collections, none)
      assert.deepStrictEqual(collected.replies.replies[1].reply_to.collections, none)
      assert.deepStrictEqual(ok(yield* loki.patch(`/posts/${answer.id}`, { meta: {} })).collections, none)
    })
  )

  it.effect("has another validator after each change of that, and after no other", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(freya, "Validated")
      const answer = yield* reply(loki, thread.id, "answer")
      const { id } = yield* create(freya, "Validated")
      const path = `/threads/${thread.id}`
      let tag = yield* etagOf(guest, path)
      const seen = new Set([tag])
      for (const [what, change, changes] of [
        ["submission", add(loki, id, thread.id), false],
        ["acceptance", add(freya, id, thread.id), true],
        ["repeat", add(freya, id, thread.id), false],
        ["another item", add(freya, id, answer.id), false],
        ["renamed collection", freya.patch(`/collections/${id}`, { name: "Other" }), false],
        ["removal", remove(freya, id, thread.id), true],
        ["repeated removal", remove(freya, id, thread.id), false],
        ["addition", add(freya, id, thread.id), true],
        ["deleted collection", freya.delete(`/collections/${id}`), true]
      ] as const) {
        yield* change
        const answered = yield* guest.get(path, ifNoneMatch(tag))
        assert.strictEqual(answered.status, changes ? 200 : 304, what)
        tag = answered.headers.etag ?? ""
        assert.strictEqual(seen.has(tag), !changes, what)
        seen.add(tag)
      }
    })
  )
})
