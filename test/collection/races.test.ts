/** Parallel changes of collections and of what is in them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import {
  CollectionFull,
  CollectionNotFound,
  itemsMax,
  submissionsByOneMax
} from "../../src/domain/collection/Collection.ts"
import { PostNotFound } from "../../src/domain/thread/Post.ts"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { add, create, membershipsOf, placeOf } from "./support.ts"

const atOnce = <A, E, R>(count: number, make: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => make(n)),
    { concurrency: "unbounded" }
  )

/** What the database has counted, and what there is. */
const counts = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly counted: ReadonlyArray<number>; readonly there: ReadonlyArray<number> }>`
    select array[
      (select coalesce(sum(item_count), 0) from collections), (select coalesce(sum(submission_count), 0) from collections),
      (select sum(in_collections) from threads), (select sum(collections) from collection_totals),
      (select coalesce(sum(collections), 0) from collection_owners)]::int[] as counted,
    array[
      (select count(*) from collection_items where membership_type <> 'submission_review'),
      (select count(*) from collection_items where membership_type = 'submission_review'),
      (select count(*) from collection_items where membership_type <> 'submission_review' and post_id = thread_id),
      (select count(*) from collections), (select count(*) from collections)]::int[] as there`
)

const assertCounted = Effect.map(counts, ([row]) => assert.deepStrictEqual(row?.counted, row?.there))

layer(People.layer)("parallel requests", (it) => {
  it.effect("add one item once", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const { id } = yield* create(freya, "Fifty")
      const [thread, submitted] = [yield* open(loki, "Fifty"), yield* open(loki, "Submitted")]
      for (const answer of yield* atOnce(50, () => freya.put(placeOf(id, thread.id)))) {
        assert.deepStrictEqual(membershipsOf(ok(answer)), [[thread.id, "normal"]])
      }
      yield* atOnce(50, () => loki.put(placeOf(id, submitted.id)))
      assert.deepStrictEqual(membershipsOf(ok(yield* freya.get(`/collections/${id}`))), [
        [submitted.id, "submission_review"],
        [thread.id, "normal"]
      ])
      yield* atOnce(50, (n) => (n % 2 === 0 ? freya : loki).put(placeOf(id, submitted.id)))
      assert.deepStrictEqual(
        membershipsOf(ok(yield* freya.get(`/collections/${id}`))).map(([, type]) => type),
        ["submission_accepted", "normal"]
      )
      yield* assertCounted
    })
  )

  it.effect("add no more than there is room for", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* create(freya, "Nearly full")
      const thread = yield* open(loki, "Many")
      const replies = yield* Effect.forEach(Array.from({ length: 30 }), (_, n) =>
        reply(loki, thread.id, `reply ${n}`)
      )
      const submitted = yield* atOnce(30, (n) => tyr.put(placeOf(id, replies[n]?.id ?? "")))
      assert.strictEqual(submitted.filter(({ status }) => status === 200).length, submissionsByOneMax)
      yield* sql`delete from collection_items`
      // As if there were others.
      yield* sql`update collections set item_count = ${itemsMax - 10} where id = ${id}`
      const answers = yield* atOnce(30, (n) => freya.put(placeOf(id, replies[n]?.id ?? "")))
      const refused = answers.filter(({ status }) => status !== 200)
      assert.strictEqual(refused.length, 20)
      for (const answer of refused) assertProblem(answer, CollectionFull, { maximum: itemsMax })
      yield* sql`update collections set item_count = item_count - ${itemsMax - 10} where id = ${id}`
      yield* assertCounted
    })
  )

  it.effect("of every kind end without waiting for each other in a circle, and every count is right", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      const people = [freya, loki, odin, tyr]
      const threads = yield* Effect.forEach(Array.from({ length: 6 }), (_, n) => open(loki, `Thread ${n}`))
      const collections = yield* Effect.forEach(Array.from({ length: 6 }), (_, n) =>
        create(freya, `Collection ${n}`)
      )
      const change = (n: number) => {
        const by = people[n % 4] ?? freya
        const collection = collections[(n * 7) % 6].id
        const thread = threads[(n * 5 + (n >> 3)) % 6].id
        const kinds = [
          freya.put(placeOf(collection, thread)),
          freya.put(placeOf(collection, thread)),
          by.put(placeOf(collection, thread)),
          freya.delete(placeOf(collection, thread)),
          by.post(`/threads/${thread}/replies`, { body: "meanwhile" }),
          odin.patch(`/threads/${thread}`, { title: `Renamed ${n}` }),
          freya.patch(`/collections/${collection}`, { name: `${n}` })
        ]
        if (n === 90) return odin.delete(`/collections/${collection}`)
        if (n === 100) return odin.delete(`/threads/${thread}`)
        return kinds[n % kinds.length] ?? guest.get("/collections")
      }
      const answers = yield* atOnce(120, change)
      for (const answer of answers) {
        if (answer.status === 200) continue
        assert.strictEqual(answer.status, 404, answer.text)
      }
      yield* drainEvents
      yield* assertCounted
    })
  )

  it.effect("that delete a thread leave nothing of it that is added meanwhile", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < 5; n++) {
        const thread = yield* open(loki, `Contested ${n}`)
        const { id } = yield* create(freya, `Contested ${n}`)
        const [added] = yield* Effect.all(
          [freya.put(placeOf(id, thread.id)), loki.delete(`/threads/${thread.id}`)],
          { concurrency: "unbounded" }
        )
        if (added.status !== 200) assertProblem(added, PostNotFound)
        yield* drainEvents
        assert.deepStrictEqual(yield* sql`select from collection_items where post_id = ${thread.id}`, [])
      }
    })
  )

  it.effect("wait for the deletion of a thread before they add it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(loki, "Held")
      const { id } = yield* create(freya, "Held")
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update threads set deleted_at = now() where id = ${thread.id}`
          const asked = yield* Effect.forkChild(freya.put(placeOf(id, thread.id)))
          yield* untilWaiting(1)
          return asked
        })
      )
      assertProblem(yield* Fiber.join(asked), PostNotFound, { post_id: thread.id })
      assert.deepStrictEqual(yield* sql`select from collection_items where post_id = ${thread.id}`, [])
    })
  )

  it.effect("that delete a collection leave no item of it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const thread = yield* open(loki, "Left")
      for (let n = 0; n < 5; n++) {
        const { id } = yield* create(freya, `Left ${n}`)
        const [added, deleted] = yield* Effect.all(
          [freya.put(placeOf(id, thread.id)), freya.delete(`/collections/${id}`)],
          { concurrency: "unbounded" }
        )
        if (added.status !== 200) assertProblem(added, CollectionNotFound)
        assert.strictEqual(deleted.status, 200)
      }
      const { collections } = ok(yield* guest.get(`/threads/${thread.id}`))
      assert.strictEqual(collections.in_collections, 0)
      const { id } = yield* create(freya, "Kept")
      yield* add(freya, id, thread.id)
      yield* assertCounted
    })
  )
})
