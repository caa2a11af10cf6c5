/** How much there may be in a collection, and how long its answers may be. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { room } from "../../src/domain/answer/AnswerRoom.ts"
import {
  CollectionFull,
  itemsMax,
  submissionsByOneMax,
  submissionsMax,
  TooManySubmissions
} from "../../src/domain/collection/Collection.ts"
import { ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { add, create, membershipsOf, placeOf, remove, seenBy } from "./support.ts"

/** Fills a collection with replies to a thread, straight in the database: `count` of them, all of this type. */
const fill = Effect.fnUntraced(function* (
  collection: { readonly id: string; readonly owner: { readonly id: string } },
  thread: string,
  author: string,
  count: number,
  type: string
) {
  const sql = yield* SqlClient.SqlClient
  const prefix = `${type === "normal" ? "a" : "b"}${collection.id.slice(-4)}${author.slice(-3)}`
  yield* sql`insert into posts (id, thread_id, ordinal, author_id, created_at, updated_at, visibility, body, description)
    select ${prefix} || lpad(n::text, 11, '0') || '0', ${thread},
      n + (select max(ordinal) from posts where thread_id = ${thread}), ${author}, now(), now(), 'published',
      '<body>x</body>', 'x' from generate_series(1, ${count}::int) n`
  yield* sql`update threads set replies_made = replies_made + ${count}::int, reply_count = reply_count + ${count}::int
    where id = ${thread}`
  yield* sql`insert into collection_items
      (id, collection_id, owner_id, added_by, added_at, membership_type, post_id, thread_id)
    select id, ${collection.id}, ${collection.owner.id}, ${author}, '1969-12-31Z', ${type}, id, ${thread}
    from posts where id like ${`${prefix}%`}`
})

/** Puts threads into a collection, the first of them last. */
const collect = (
  collection: { readonly id: string; readonly owner: { readonly id: string } },
  threads: ReadonlyArray<string>
) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into collection_items
        (id, collection_id, owner_id, added_by, added_at, membership_type, post_id, thread_id)
      select ${collection.id} || place, ${collection.id}, ${collection.owner.id}, ${collection.owner.id},
        '1970-01-02'::timestamptz - place * interval '1 second', 'normal', id, id
      from unnest(${threads}::text[]) with ordinality t (id, place)`
  )

layer(People.layer)("a collection", (it) => {
  it.effect("has no room beyond its limit, whoever adds, and has some again when an item is removed", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const collection = yield* create(freya, "Full")
      const thread = yield* open(odin, "Many replies")
      yield* fill(collection, thread.id, odin.id, itemsMax - 1, "normal")
      const [last, beyond] = [yield* open(loki, "Last"), yield* open(loki, "Beyond")]
      yield* add(loki, collection.id, beyond.id)
      assert.lengthOf((yield* add(freya, collection.id, last.id)).items, itemsMax + 1)
      for (const place of [placeOf(collection.id, thread.id), placeOf(collection.id, beyond.id)]) {
        assertProblem(yield* freya.put(place), CollectionFull, { maximum: itemsMax })
      }
      // What is there is there, and others may submit.
      yield* add(freya, collection.id, last.id)
      yield* add(odin, collection.id, thread.id)
      yield* remove(freya, collection.id, last.id)
      assert.deepStrictEqual(membershipsOf(yield* add(freya, collection.id, beyond.id)).slice(0, 2), [
        [thread.id, "submission_review"],
        [beyond.id, "submission_accepted"]
      ])
      const error = yield* Effect.flip(
        sql`update collection_items set membership_type = 'normal' where post_id = ${thread.id}`
      )
      assert.include(String(error.reason.cause), "collections_item_count_check")
    })
  )

  it.effect("takes so many submissions, and so many of one account", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const collection = yield* create(freya, "Submissions")
      const thread = yield* open(loki, "Submitted")
      yield* fill(collection, thread.id, loki.id, submissionsByOneMax - 1, "submission_review")
      const more = yield* Effect.forEach([1, 2, 3], (n) => reply(loki, thread.id, `${n}`))
      const [one = "", two = "", three = ""] = more.map(({ id }) => placeOf(collection.id, id))
      ok(yield* loki.put(one))
      assertProblem(yield* loki.put(two), TooManySubmissions, { maximum: submissionsByOneMax })
      // Again is no other one, and others have places left.
      ok(yield* loki.put(one))
      ok(yield* tyr.put(two))
      yield* fill(
        collection,
        thread.id,
        (yield* signUp("others")).id,
        submissionsMax - submissionsByOneMax - 1,
        "submission_review"
      )
      assertProblem(yield* tyr.put(three), TooManySubmissions, { maximum: submissionsMax })
      // The owner is not limited by them, and makes room by accepting one.
      ok(yield* freya.put(three))
      ok(yield* freya.put(two))
      ok(yield* loki.delete(one))
      ok(yield* loki.put(one))
      const error = yield* Effect.flip(sql`update collection_items set membership_type = 'submission_review'
        where collection_id = ${collection.id}`)
      assert.include(String(error.reason.cause), "collections_submission_count_check")
    })
  )

  it.effect("is shown within the bytes of a list, its longest items briefly", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const signature = `<p>${'<a href="#" title="x">x</a>'.repeat(150)}</p>`
      ok(yield* loki.patch("/accounts", { signature }))
      const collection = yield* create(freya, "Long")
      const path = `/collections/${collection.id}`
      const body = `<p>${"&lt;text &amp; more ".repeat(3800)}<a href="https://a.test/">x</a></p>`
      const long: Array<string> = []
      for (let n = 0; n < 20; n++) {
        const meta = { long: "x".repeat(60_000) }
        long.unshift((yield* open(loki, `Long ${n}`, { body, meta })).id)
      }
      yield* collect(collection, long)
      const thread = yield* open(freya, "Short replies")
      yield* fill(collection, thread.id, loki.id, itemsMax - 20, "normal")
      yield* fill(collection, thread.id, loki.id, submissionsMax, "submission_review")
      const answer = yield* freya.get(path)
      assert.isBelow(Buffer.byteLength(answer.text), 1.25 * room)
      const { items } = ok(answer)
      assert.lengthOf(items, itemsMax + submissionsMax)
      assert.deepStrictEqual(
        items.slice(0, 20).map(({ id }: { readonly id: string }) => id),
        long
      )
      const last = items[19]
      const { description } = ok(yield* guest.get(`/threads/${last.id}`))
      assert.strictEqual(last.item.ref.description, description)
      for (const field of ["body", "body_links", "meta"]) assert.notProperty(last.item.ref, field)
      assert.deepStrictEqual(last.item.ref.reacts, [])
      assert.deepStrictEqual(last.item.ref.misc, { omitted: ["meta", "body", "body_links"] })
      assert.deepStrictEqual(last.misc, last.item.ref.misc)
      assert.notProperty(last.owner, "signature")
      assert.isNotEmpty(last.owner.roles)

      // With fewer items, the first ones are shown in full.
      const few = yield* create(freya, "Few")
      yield* collect(few, long)
      const shown = yield* freya.get(`/collections/${few.id}`)
      assert.isBelow(Buffer.byteLength(shown.text), room)
      const [newest] = ok(shown).items
      const whole = ok(yield* guest.get(`/threads/${newest.id}`))
      for (const field of ["body", "body_links", "meta", "author"]) {
        assert.deepStrictEqual(newest.item.ref[field], whole[field], field)
      }
      assert.deepStrictEqual(newest.misc, {})
      // The last ones lack their texts, and nothing else: there is room for what else they say.
      const oldest = ok(shown).items[19]
      assert.deepStrictEqual(oldest.misc, { omitted: ["body", "body_links"] })
      assert.strictEqual(oldest.item.ref.meta.long.length, 60_000)
      assert.lengthOf(yield* seenBy(guest, few.id), 20)
    })
  )
})
