import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CollectionNotFound, CollectionNotYours } from "../../src/domain/collection/Collection.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { add, create, itemIds, membershipsOf, placeOf, remove, seenBy } from "./support.ts"

layer(People.layer)("an item", (it) => {
  it.effect("is a thread or a reply as it is shown elsewhere, at the address of its thread", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(loki, "Shown", { body: "<p>text</p>", meta: { a: [1] } })
      const answer = yield* reply(freya, thread.id, "answer")
      const { id } = yield* create(freya, "Shown")
      yield* add(freya, id, thread.id)
      yield* TestClock.adjust("1 second")
      const added = yield* add(freya, id, answer.id)
      assert.deepStrictEqual(ok(yield* freya.get(`/collections/${id}`)), added)
      const [second, first] = added.items
      assert.deepStrictEqual(itemIds(added), [answer.id, thread.id])
      assert.isAbove(Date.parse(second.added_at), Date.parse(first.added_at))
      for (const [item, post] of [
        [first, ok(yield* freya.get(`/threads/${thread.id}`))],
        [second, answer]
      ]) {
        const { createdAt, updatedAt } = post
        const { item: shown, added_at: _, ...rest } = item
        assert.deepStrictEqual(rest, {
          ...{ id: post.id, createdAt, updatedAt, misc: {}, owner: post.author },
          membership_type: "normal"
        })
        assert.strictEqual(shown.kind, "post")
        for (const field of ["body", "title", "description", "author", "meta", "collections", "likes"]) {
          assert.deepStrictEqual(shown.ref[field], post[field], field)
        }
        assert.strictEqual(shown.ref.slug, thread.slug)
      }
    })
  )

  it.effect("added again changes nothing, whoever wrote it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id } = yield* create(freya, "Repeated")
      const [own, other] = [yield* open(freya, "Own"), yield* open(loki, "Other")]
      for (const thread of [own, other]) yield* add(freya, id, thread.id)
      const before = ok(yield* freya.get(`/collections/${id}`))
      yield* TestClock.adjust("1 minute")
      for (const thread of [own, other, own]) {
        assert.deepStrictEqual(yield* add(freya, id, thread.id), before)
      }
      assert.deepStrictEqual(membershipsOf(before), [
        [other.id, "normal"],
        [own.id, "normal"]
      ])
    })
  )

  it.effect("is removed, and may be removed again and added again", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* create(freya, "Removed")
      const [first, second] = [yield* open(freya, "First"), yield* open(freya, "Second")]
      for (const thread of [first, second]) yield* add(freya, id, thread.id)
      for (const _ of [1, 2]) assert.deepStrictEqual(itemIds(yield* remove(freya, id, second.id)), [first.id])
      // What was added last comes first, whichever is newer.
      yield* add(freya, id, second.id)
      yield* remove(freya, id, first.id)
      assert.deepStrictEqual(itemIds(yield* add(freya, id, first.id)), [first.id, second.id])
      const listed = ok(yield* guest.get("/collections?account_handle=freya")).collections
      assert.strictEqual(listed.find((one: typeof first) => one.id === id).item_count, 2)
    })
  )

  it.effect("that there is not, and a collection that there is not, are not found", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id } = yield* create(freya, "Unknown")
      const thread = yield* open(loki, "Known")
      const gone = yield* open(loki, "Gone")
      const reply_ = yield* reply(loki, gone.id, "gone as well")
      yield* loki.delete(`/threads/${gone.id}`)
      for (const send of [freya.put, freya.delete, loki.put, loki.delete]) {
        for (const post of [nobody, "x", thread.slug, gone.id, reply_.id]) {
          const path = placeOf(id, encodeURIComponent(post))
          assertProblem(yield* send(path), PostNotFound, { post_id: post })
        }
        const nowhere = yield* send(placeOf(nobody, thread.id))
        assertProblem(nowhere, CollectionNotFound, { collection_mark: nobody })
      }
    })
  )

  it.effect("needs an account to be added or removed", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* create(freya, "Guarded")
      const thread = yield* open(freya, "Guarded")
      assertProblem(yield* guest.put(placeOf(id, thread.id)), Unauthenticated)
      yield* add(freya, id, thread.id)
      assertProblem(yield* guest.delete(placeOf(id, thread.id)), Unauthenticated)
      assert.deepStrictEqual(yield* seenBy(guest, id), [thread.id])
    })
  )
})

layer(People.layer)("a submission", (it) => {
  const prepare = Effect.gen(function* () {
    const { freya, loki } = yield* Cast
    const { id } = yield* create(freya, "Submissions")
    return { id, thread: yield* open(loki, "Submitted") }
  })

  it.effect("awaits the owner, who accepts it by adding it; again changes nothing", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id, thread } = yield* prepare
      for (const _ of [1, 2]) {
        const submitted = yield* add(loki, id, thread.id)
        assert.deepStrictEqual(membershipsOf(submitted), [[thread.id, "submission_review"]])
      }
      for (const _ of [1, 2]) {
        const accepted = yield* add(freya, id, thread.id)
        assert.deepStrictEqual(membershipsOf(accepted), [[thread.id, "submission_accepted"]])
      }
      const again = yield* add(loki, id, thread.id)
      assert.deepStrictEqual(membershipsOf(again), [[thread.id, "submission_accepted"]])
    })
  )

  it.effect("is accepted by nobody but the owner", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const { id, thread } = yield* prepare
      const keeper = yield* signUp("keeper")
      yield* grant(keeper, "MANAGE_COLLECTIONS")
      yield* add(loki, id, thread.id)
      for (const other of [tyr, keeper, odin, loki]) yield* add(other, id, thread.id)
      assert.deepStrictEqual(membershipsOf(ok(yield* freya.get(`/collections/${id}`))), [
        [thread.id, "submission_review"]
      ])
      // What the owner added stays so, whoever submits it.
      const own = yield* open(freya, "Own")
      yield* add(freya, id, own.id)
      for (const other of [loki, keeper, odin]) yield* add(other, id, own.id)
      const [[, type] = []] = membershipsOf(ok(yield* freya.get(`/collections/${id}`)))
      assert.strictEqual(type, "normal")
    })
  )

  it.effect("needs COLLECTION_SUBMIT, which the owner does not need", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id, thread } = yield* prepare
      yield* sql`update roles set permissions = array_remove(permissions, 'COLLECTION_SUBMIT') where name = 'Member'`
      assertProblem(yield* loki.put(placeOf(id, thread.id)), Forbidden, { permission: "COLLECTION_SUBMIT" })
      // Whether there is something is not said to who may not submit anything, of pages neither.
      const hidden = yield* open(freya, "Hidden", { visibility: "draft" })
      for (const item of [nobody, hidden.id, "no-id"]) {
        for (const kind of ["posts", "nodes"]) {
          const place = `/collections/${id}/${kind}/${item}`
          assertProblem(yield* loki.put(place), Forbidden, { permission: "COLLECTION_SUBMIT" })
        }
      }
      assertProblem(yield* loki.put(placeOf(nobody, nobody)), CollectionNotFound)
      assertProblem(yield* freya.put(placeOf(id, nobody)), PostNotFound)
      assert.deepStrictEqual(yield* seenBy(freya, id), [])
      yield* add(freya, id, thread.id)
      const other = yield* open(loki, "Other")
      assert.deepStrictEqual(membershipsOf(yield* add(odin, id, other.id))[0], [
        other.id,
        "submission_review"
      ])
      yield* sql`update roles set permissions = permissions || '{COLLECTION_SUBMIT}' where name = 'Member'`
    })
  )

  it.effect("is rejected by the owner and by staff, and withdrawn by who made it until it is accepted", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const { id, thread } = yield* prepare
      const place = placeOf(id, thread.id)
      for (const by of [freya, odin, loki]) {
        yield* add(loki, id, thread.id)
        assertProblem(yield* tyr.delete(place), CollectionNotYours)
        assert.deepStrictEqual(itemIds(yield* remove(by, id, thread.id)), [])
      }
      // Not by the author, if somebody else submitted it.
      yield* add(tyr, id, thread.id)
      assertProblem(yield* loki.delete(place), CollectionNotYours)
      yield* remove(tyr, id, thread.id)
      // Nor once it is accepted.
      yield* add(loki, id, thread.id)
      yield* add(freya, id, thread.id)
      assertProblem(yield* loki.delete(place), CollectionNotYours)
      assert.deepStrictEqual(yield* seenBy(guest, id), [thread.id])
      yield* remove(freya, id, thread.id)
      assertProblem(yield* loki.delete(place), CollectionNotYours)
      // After it was rejected, it may be submitted again.
      assert.deepStrictEqual(membershipsOf(yield* add(loki, id, thread.id)), [
        [thread.id, "submission_review"]
      ])
    })
  )

  it.effect("is withdrawn and removed also when what was collected was hidden or deleted since", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      for (const withdraw of [
        (id: string) => odin.patch(`/threads/${id}`, { visibility: "draft" }),
        (id: string) => odin.delete(`/threads/${id}`)
      ]) {
        const { id } = yield* create(freya, "Withdrawn")
        const submitted = yield* open(odin, "Submitted")
        const collected = yield* open(odin, "Collected")
        yield* add(loki, id, submitted.id)
        yield* add(freya, id, collected.id)
        for (const thread of [submitted, collected]) ok(yield* withdraw(thread.id))
        assert.deepStrictEqual(itemIds(yield* remove(loki, id, submitted.id)), [])
        assert.deepStrictEqual(itemIds(yield* remove(freya, id, collected.id)), [])
        for (const thread of [submitted, collected]) {
          assertProblem(yield* freya.delete(placeOf(id, thread.id)), PostNotFound)
        }
      }
    })
  )

  it.effect("counts for who sees it: the owner, and who wrote it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id, thread } = yield* prepare
      const asked = (by: typeof freya) =>
        Effect.map(by.get(`/collections?account_handle=freya&has_item=${thread.id}`), (answer) => {
          const found = ok(answer).collections.find((one: { readonly id: string }) => one.id === id)
          return [found.item_count, found.has_queried_item]
        })
      yield* add(loki, id, thread.id)
      for (const by of [freya, loki]) assert.deepStrictEqual(yield* asked(by), [1, false])
      assert.deepStrictEqual(yield* asked(guest), [0, false])
      yield* add(freya, id, thread.id)
      for (const by of [freya, loki, guest]) assert.deepStrictEqual(yield* asked(by), [1, true])
      yield* remove(freya, id, thread.id)
      for (const by of [freya, loki, guest]) assert.deepStrictEqual(yield* asked(by), [0, false])
    })
  )
})
