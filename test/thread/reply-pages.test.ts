import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"

const pageSize = 50

layer(People.layer)("pages of replies", (it) => {
  it.effect("follow each other without gap or overlap, however many replies were deleted, and where", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Long")
      const made = idsOf(
        yield* Effect.forEach(Array.from({ length: 130 }), (_, n) => reply(loki, thread.id, `reply ${n}`))
      )
      const check = (left: ReadonlyArray<string>, about: string) =>
        Effect.gen(function* () {
          const pages = Math.ceil(left.length / pageSize)
          for (let page = 1; page <= pages + 1; page++) {
            const { replies } = ok(yield* guest.get(`/threads/${thread.id}?page=${page}`))
            const expected = left.slice((page - 1) * pageSize, page * pageSize)
            assert.deepStrictEqual(idsOf(replies.replies), expected, `${about}, page ${page}`)
            assert.strictEqual(replies.total_pages, pages)
            assert.strictEqual(replies.results, expected.length)
            assert.strictEqual(replies.next_page, page < pages ? page + 1 : undefined)
          }
        })
      let left = made
      const remove = (gone: ReadonlyArray<string>, about: string) =>
        Effect.gen(function* () {
          for (const id of gone) ok(yield* loki.delete(`/posts/${id}`))
          left = left.filter((id) => !gone.includes(id))
          yield* check(left, about)
        })
      yield* check(left, "none deleted")
      yield* remove([made[129] ?? ""], "the last deleted")
      yield* remove([made[0] ?? ""], "the first deleted")
      yield* remove(made.slice(40, 52), "some in the middle deleted")
      yield* remove(
        left.filter((_, n) => n % 3 === 0),
        "every third deleted"
      )
      const [row] = yield* sql`select reply_count, replies_made from threads where id = ${thread.id}`
      assert.deepStrictEqual(row, { reply_count: left.length, replies_made: 130 })
    })
  )
})
