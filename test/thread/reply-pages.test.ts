import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, type Person } from "../support/people.ts"

const pageSize = 50

layer(People.layer)("pages of replies", (it) => {
  it.effect("follow each other without gap or overlap, however many replies were deleted, and where", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Long")
      const made = idsOf(
        yield* Effect.forEach(Array.from({ length: 130 }), (_, n) => reply(loki, thread.id, `reply ${n}`))
      )
      const checkFor = (reader: Person, left: ReadonlyArray<string>, about: string) =>
        Effect.gen(function* () {
          const pages = Math.ceil(left.length / pageSize)
          for (let page = 1; page <= pages + 1; page++) {
            const { replies } = ok(yield* reader.get(`/threads/${thread.id}?page=${page}`))
            const expected = left.slice((page - 1) * pageSize, page * pageSize)
            assert.deepStrictEqual(idsOf(replies.replies), expected, `${about}, page ${page}`)
            assert.strictEqual(replies.total_pages, pages)
            assert.strictEqual(replies.results, expected.length)
            assert.strictEqual(replies.next_page, page < pages ? page + 1 : undefined)
          }
        })
      const check = (left: ReadonlyArray<string>, about: string) => checkFor(guest, left, about)
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
      // Replies that some viewers do not see make no gaps in what they see.
      for (const id of left.filter((_, n) => n % 4 === 0)) {
        ok(yield* tyr.patch(`/posts/${id}`, { visibility: "unlisted" }))
      }
      yield* checkFor(
        guest,
        left.filter((_, n) => n % 4 !== 0),
        "every fourth hidden"
      )
      yield* checkFor(tyr, left, "every fourth hidden, for a moderator")
      ok(yield* tyr.patch(`/posts/${left[4]}`, { visibility: "review" }))
      yield* checkFor(
        loki,
        left.filter((_, n) => n === 4 || n % 4 !== 0),
        "one of them in review, for its author"
      )
      const [row] = yield* sql`select reply_count, replies_made from threads where id = ${thread.id}`
      assert.deepStrictEqual(row, { reply_count: left.length, replies_made: 130 })
    })
  )
})
