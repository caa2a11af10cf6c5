/** What storage keeps for tags. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertCancelled } from "../support/searching.ts"

layer(People.layer)("a search for tags", (it) => {
  it.effect("that takes longer than two seconds is cancelled in the database, and the list is not", () =>
    Effect.gen(function* () {
      yield* assertCancelled("tags", guest.get("/tags?q=needle"))
      ok(yield* guest.get("/tags?q=needle"))
    })
  )
})

layer(People.layer)("lists of tags, likes and tagged threads", (it) => {
  it.effect("are read by their indexes, without sorting", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const plans = [
        [
          "tags_by_count",
          `select name, item_count from tags order by item_count desc, name collate "C" offset 3 limit 50`
        ],
        [
          "tags_by_count",
          `select name, item_count from tags order by item_count, name collate "C" desc offset 3 limit 50`
        ],
        ["tags_search", `select name from tags where name like '%needle%'`],
        [
          "thread_tags_listed",
          `select thread_id from thread_tags where tag_id = 'x' and listed order by thread_id desc limit 500`
        ],
        ["likes_of_post", `select id from likes where post_id = 'x' order by created_at, id limit 1000`],
        [
          "likes_of_account",
          `select id, post_id from likes where account_id = 'x' order by created_at desc, id desc limit 1000`
        ]
      ] as const
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`set local enable_seqscan = off`
          yield* sql`set local enable_sort = off`
          for (const [index, statement] of plans) {
            const plan = JSON.stringify(yield* sql.unsafe(`explain ${statement}`))
            assert.include(plan, index, statement)
            assert.notInclude(plan, "Sort", statement)
          }
        })
      )
    })
  )
})

layer(People.layer)("the counts of tags", (it) => {
  it.effect(
    "are locked in the order of their ids, wherever their rows are, so that no writers wait in a circle",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const sql = yield* SqlClient.SqlClient
        const tags = ["first", "second"]
        yield* open(freya, "One", { tags })
        const [first, second] = yield* sql<{ readonly id: string }>`select id from tags order by id`
        // A row that changes moves behind the other; a small table is read from its beginning to its end.
        yield* sql`update tags set item_count = item_count where id = ${first?.id}`
        yield* sql`analyze tags`
        const asked = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select from tags where id = ${first?.id} for no key update`
            const asked = yield* Effect.forkChild(
              freya.post("/threads", { title: "Two", visibility: "published", tags })
            )
            yield* untilWaiting(1)
            yield* sql`select from tags where id = ${second?.id} for no key update nowait`
            return asked
          })
        )
        ok(yield* Fiber.join(asked))
      })
  )
})
