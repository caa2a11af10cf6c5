/** Who sees which items of a collection. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { letPublish, page, show } from "../library/elsewhere.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { add, create, itemIds, placeOf, remove, seenBy } from "./support.ts"

layer(People.layer)("the items of a collection", (it) => {
  it.effect(
    "are all shown to its owner and administrators, to others those that are published and accepted",
    () =>
      Effect.gen(function* () {
        const { freya, loki, odin, tyr } = yield* Cast
        const stranger = yield* signUp("stranger")
        const { id } = yield* create(freya, "Four")
        const own = yield* open(freya, "Own")
        const accepted = yield* open(loki, "Accepted")
        const pending = yield* open(loki, "Pending")
        const draft = yield* open(loki, "Unlisted", { visibility: "unlisted" })
        yield* add(freya, id, own.id)
        for (const thread of [accepted, pending, draft]) yield* add(loki, id, thread.id)
        for (const thread of [accepted, draft]) yield* add(freya, id, thread.id)
        const all = [draft.id, pending.id, accepted.id, own.id]
        for (const person of [freya, odin]) assert.deepStrictEqual(yield* seenBy(person, id), all)
        // Who wrote them sees them, too.
        assert.deepStrictEqual(yield* seenBy(loki, id), all)
        for (const person of [guest, stranger, tyr]) {
          assert.deepStrictEqual(yield* seenBy(person, id), [accepted.id, own.id])
        }
      })
  )

  it.effect(
    "that are pending are shown to who wrote them, not to who else submitted them, who may withdraw them",
    () =>
      Effect.gen(function* () {
        const { freya, loki, tyr } = yield* Cast
        const { id } = yield* create(freya, "Pending")
        const thread = yield* open(freya, "Freya's")
        const answer = yield* reply(tyr, thread.id, "Tyr's")
        assert.deepStrictEqual(itemIds(yield* add(loki, id, answer.id)), [])
        assert.deepStrictEqual(yield* seenBy(tyr, id), [answer.id])
        for (const person of [loki, guest]) assert.deepStrictEqual(yield* seenBy(person, id), [])
        assert.deepStrictEqual(itemIds(yield* remove(loki, id, answer.id)), [])
        assert.deepStrictEqual(yield* seenBy(tyr, id), [])
      })
  )

  it.effect("cannot be added by who may not read them", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const { id } = yield* create(freya, "No way in")
      const thread = yield* open(loki, "Published")
      const held = yield* reply(loki, thread.id, "held")
      yield* tyr.patch(`/posts/${held.id}`, { visibility: "review" })
      const draft = yield* open(loki, "Draft", { visibility: "draft" })
      const inDraft = yield* reply(loki, draft.id, "in it")
      for (const { id: post } of [held, draft, inDraft]) {
        assertProblem(yield* freya.put(placeOf(id, post)), PostNotFound, { post_id: post })
        assertProblem(yield* freya.delete(placeOf(id, post)), PostNotFound, { post_id: post })
      }
      assert.deepStrictEqual(itemIds(yield* add(loki, id, held.id)), [held.id])
      assert.deepStrictEqual(yield* seenBy(freya, id), [held.id])
    })
  )

  it.effect("that their authors hide are no longer shown, not even to the owner, who may remove them", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id } = yield* create(freya, "Hidden later")
      const thread = yield* open(loki, "Hidden later")
      const answer = yield* reply(freya, thread.id, "by Freya")
      for (const post of [thread, answer]) yield* add(freya, id, post.id)
      assert.deepStrictEqual(yield* seenBy(guest, id), [answer.id, thread.id])
      ok(yield* loki.patch(`/threads/${thread.id}`, { visibility: "draft" }))
      for (const person of [guest, freya]) assert.deepStrictEqual(yield* seenBy(person, id), [])
      assert.deepStrictEqual(yield* seenBy(loki, id), [thread.id])
      assert.deepStrictEqual(yield* seenBy(odin, id), [answer.id, thread.id])
      assert.deepStrictEqual(itemIds(yield* remove(freya, id, thread.id)), [])
      ok(yield* loki.patch(`/threads/${thread.id}`, { visibility: "published" }))
      assert.deepStrictEqual(yield* seenBy(guest, id), [answer.id])
    })
  )

  it.effect("that their owners withdraw are found and counted by these alone, whatever they are", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      for (const person of [loki, tyr]) yield* letPublish(person)
      const { id } = yield* create(freya, "Withdrawn")
      const thread = yield* open(loki, "Withdrawn")
      const answer = yield* reply(loki, (yield* open(tyr, "Kept")).id, "withdrawn")
      const node = yield* page(loki, "Withdrawn")
      const pending = yield* page(tyr, "Pending")
      for (const post of [thread, answer]) yield* add(freya, id, post.id)
      ok(yield* freya.put(`/collections/${id}/nodes/${node.id}`))
      ok(yield* loki.put(`/collections/${id}/nodes/${pending.id}`))
      const found = Effect.fnUntraced(function* (viewer: Person) {
        const items = yield* seenBy(viewer, id)
        const { collections } = ok(yield* viewer.get("/collections?account_handle=freya"))
        const listed = collections.find((one: { readonly id: string }) => one.id === id)
        assert.strictEqual(listed.item_count, items.length)
        return items
      })
      assert.deepStrictEqual(yield* found(guest), [node.id, answer.id, thread.id])
      ok(yield* loki.patch(`/threads/${thread.id}`, { visibility: "draft" }))
      ok(yield* tyr.patch(`/posts/${answer.id}`, { visibility: "review" }))
      yield* show(loki, node, "draft")
      yield* show(tyr, pending, "unlisted")
      assert.deepStrictEqual(yield* found(loki), [node.id, answer.id, thread.id])
      for (const viewer of [guest, freya]) assert.deepStrictEqual(yield* found(viewer), [])
      // A moderator reads what awaits review, and finds by it no more than others do.
      assert.deepStrictEqual(yield* found(tyr), [pending.id])
    })
  )

  it.effect(
    "in a thread whose author hides it do not show it, though somebody submitted a reply of theirs",
    () =>
      Effect.gen(function* () {
        const { freya, loki, tyr } = yield* Cast
        const { id } = yield* create(freya, "Reply of another")
        const thread = yield* open(loki, "Loki's")
        const answer = yield* reply(tyr, thread.id, "Tyr's")
        yield* add(tyr, id, answer.id)
        yield* add(freya, id, answer.id)
        ok(yield* loki.patch(`/threads/${thread.id}`, { visibility: "draft" }))
        assert.deepStrictEqual(yield* seenBy(freya, id), [])
      })
  )

  it.effect("are shown to nobody once they are deleted, and cannot be in the way", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* create(freya, "Deleted later")
      const [thread, kept] = [yield* open(loki, "Deleted"), yield* open(loki, "Kept")]
      const inDeleted = yield* reply(loki, thread.id, "with its thread")
      const deleted = yield* reply(loki, kept.id, "alone")
      for (const post of [thread, kept, inDeleted, deleted]) yield* add(freya, id, post.id)
      yield* loki.delete(`/threads/${thread.id}`)
      yield* loki.delete(`/posts/${deleted.id}`)
      for (const person of [freya, loki, odin, tyr, guest]) {
        assert.deepStrictEqual(yield* seenBy(person, id), [kept.id])
      }
      const counted = Effect.map(guest.get("/collections?account_handle=freya"), (answer) => {
        const found = ok(answer).collections.find((one: { readonly id: string }) => one.id === id)
        return found.item_count
      })
      yield* drainEvents
      assert.strictEqual(yield* counted, 1)
      const [left] =
        yield* sql`select count(*)::int as items from collection_items where collection_id = ${id}`
      assert.deepStrictEqual(left, { items: 1 })
    })
  )

  it.effect("are shown to nobody who may not read threads", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* create(freya, "Threads")
      const [thread, other] = [yield* open(freya, "Thread"), yield* open(freya, "Other")]
      yield* add(freya, id, thread.id)
      const asked = (person: Person) =>
        Effect.map(person.get(`/collections?has_item=${thread.id}`), (answer) =>
          ok(answer).collections.some((one: { readonly has_queried_item: boolean }) => one.has_queried_item)
        )
      assert.isTrue(yield* asked(guest))
      yield* sql`update roles set permissions = array_remove(permissions, 'READ_PUBLISHED_THREADS')
        where name in ('Guest', 'Member')`
      for (const person of [guest, freya]) {
        assert.deepStrictEqual(yield* seenBy(person, id), [])
        assert.isFalse(yield* asked(person))
      }
      assertProblem(yield* freya.put(placeOf(id, other.id)), PostNotFound)
      yield* sql`update roles set permissions = permissions || '{READ_PUBLISHED_THREADS}'
        where name in ('Guest', 'Member')`
    })
  )
})
