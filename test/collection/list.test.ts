import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, query } from "../support/people.ts"
import { assertInvalid } from "../support/problems.ts"
import { add, create } from "./support.ts"

const list = (parameters: Readonly<Record<string, string>> = {}, by = guest) =>
  Effect.map(by.get(`/collections${query(parameters)}`), ok)

const withItem = (answer: Answer["json"]) =>
  answer.collections.flatMap((one: { readonly id: string; readonly has_queried_item: boolean }) =>
    one.has_queried_item ? [one.id] : []
  )

layer(People.layer)("the list of collections", (it) => {
  it.effect("is empty where there are none", () =>
    Effect.gen(function* () {
      const none = { page_size: 50, results: 0, total_pages: 0, current_page: 1, collections: [] }
      assert.deepStrictEqual(yield* list(), none)
      assert.deepStrictEqual(yield* list({ page: "3" }), { ...none, current_page: 3 })
      for (const account of ["freya", "nobody", nobody, "a b", "%"]) {
        assert.deepStrictEqual(yield* list({ account_handle: account }), none)
      }
    })
  )

  it.effect("says of each collection whether it contains an item, and leaves none out for it", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const [thread, other] = [yield* open(freya, "Thread"), yield* open(freya, "Other")]
      const answer = yield* reply(loki, thread.id, "answer")
      const [first, second] = [yield* create(freya, "first"), yield* create(loki, "second")]
      yield* add(freya, first.id, thread.id)
      yield* add(loki, second.id, answer.id)
      yield* add(loki, second.id, thread.id)
      for (const [item, having] of [
        [thread.id, [second.id, first.id]],
        [answer.id, [second.id]],
        [other.id, []],
        [nobody, []],
        [first.id, []]
      ] as const) {
        const answered = yield* list({ has_item: item })
        assert.deepStrictEqual(withItem(answered), [...having], item)
        assert.deepStrictEqual(idsOf(answered.collections), [second.id, first.id])
      }
      assert.deepStrictEqual(withItem(yield* list()), [])
      assert.deepStrictEqual(withItem(yield* list({ has_item: "" })), [])
      assertInvalid(yield* guest.get("/collections?has_item=thread"), "query has_item")
      // What a viewer may not read, or nobody any more, is in no collection.
      ok(yield* freya.patch(`/threads/${thread.id}`, { visibility: "draft" }))
      assert.deepStrictEqual(withItem(yield* list({ has_item: thread.id })), [])
      assert.deepStrictEqual(withItem(yield* list({ has_item: thread.id }, freya)), [second.id, first.id])
      yield* freya.delete(`/threads/${thread.id}`)
      assert.deepStrictEqual(withItem(yield* list({ has_item: thread.id }, freya)), [])
    })
  )

  it.effect("is of one account by its handle or id", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const freyas = yield* list({ account_handle: "freya" })
      assert.deepStrictEqual(
        freyas.collections.map(({ name }: { readonly name: string }) => name),
        ["first"]
      )
      assert.deepStrictEqual(yield* list({ account_handle: freya.id }), freyas)
      assert.deepStrictEqual(yield* list({ account_handle: "FREYA" }), freyas)
      const lokis = yield* list({ account_handle: loki.id })
      assert.deepStrictEqual(lokis.collections[0].owner.handle, "loki")
      assert.strictEqual(lokis.results, 1)
    })
  )
})

layer(People.layer)("pages of collections", (it) => {
  it.effect("have 50 each, newest first, and none twice though many were created at one instant", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const made: Array<string> = []
      for (let n = 0; n < 123; n++) {
        if (n % 30 === 0) yield* TestClock.adjust("1 second")
        made.push((yield* create(n % 3 === 0 ? loki : freya, "c1")).id)
      }
      const pages = yield* Effect.forEach(["1", "2", "3"], (page) => list({ page }))
      const size = { page_size: 50, total_pages: 3 }
      assert.deepStrictEqual(
        pages.map(({ collections: _, next_cursor: __, ...envelope }) => envelope),
        [
          { ...size, results: 50, current_page: 1, next_page: 2 },
          { ...size, results: 50, current_page: 2, next_page: 3 },
          { ...size, results: 23, current_page: 3 }
        ]
      )
      assert.deepStrictEqual(
        pages.flatMap(({ collections }) => idsOf(collections)),
        made.toReversed()
      )
      for (const page of ["0", "-1", "x"]) assert.deepStrictEqual(yield* list({ page }), pages[0], page)
      const past = { ...size, results: 0, current_page: 99_999_999_999_999, collections: [] }
      assert.deepStrictEqual(yield* list({ page: "99999999999999" }), past)

      const ofFreya = yield* list({ account_handle: "freya", page: "2" })
      assert.strictEqual(ofFreya.results, 32)
      assert.deepStrictEqual(
        idsOf(ofFreya.collections),
        made
          .filter((_, n) => n % 3 !== 0)
          .toReversed()
          .slice(50)
      )
      yield* (yield* Cast).odin.delete(`/collections/${made[122]}`)
      assert.strictEqual((yield* list({ page: "3" })).results, 22)
    })
  )

  it.effect("that are far from the first are read from the nearer end, and have the same order", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from collections`
      yield* sql`insert into collections (id, created_at, updated_at, owner_id, name, slug)
        select 'c' || lpad(n::text, 18, '0') || '0', 'epoch'::timestamptz + (n / 7) * interval '1 second', 'epoch',
          case when n % 2 = 0 then ${freya.id} else ${loki.id} end, 'n', ''
        from generate_series(1, 1999) n`
      const rows = yield* sql<{
        readonly id: string
      }>`select id from collections order by created_at desc, id desc`
      const pages = yield* Effect.forEach(["1", "19", "20", "21", "22", "39", "40", "41"], (page) =>
        list({ page })
      )
      for (const { collections, current_page, results, total_pages } of pages) {
        const expected = rows.slice((current_page - 1) * 50, current_page * 50)
        assert.deepStrictEqual(idsOf(collections), idsOf(expected), `page ${current_page}`)
        assert.strictEqual(results, expected.length)
        assert.strictEqual(total_pages, 40)
      }
    })
  )
})
