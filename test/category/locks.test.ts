/** Changes of categories take locks in the order in which others do, so that none waits for each other for ever. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { type Answer, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { category, open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"

/** Makes a request that waits for what a transaction has locked first, and that needs what it locks then. */
const between = Effect.fnUntraced(function* (
  first: Effect.Effect<unknown, unknown>,
  request: Effect.Effect<Answer, unknown, HttpClient.HttpClient>,
  then: Effect.Effect<unknown, unknown>
) {
  const sql = yield* SqlClient.SqlClient
  const asked = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* first
      const asked = yield* Effect.forkChild(request)
      yield* Effect.raceFirst(untilWaiting(1), Fiber.await(asked))
      yield* then
      return asked
    })
  )
  return ok(yield* Fiber.join(asked))
})

/** Locks a category as threads that are counted in it do. */
const count = (sql: SqlClient.SqlClient, { id }: { readonly id: string }, by = 0) =>
  sql`update categories set post_count = post_count + ${by} where id = ${id}`

layer(People.layer)("changes of categories", (it) => {
  it.effect("delete one when no thread of it is being changed any more", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [left, target] = [yield* category(odin, "Left"), yield* category(odin, "Target")]
      const thread = yield* open(freya, "Changes", { category: left.id })
      yield* between(
        sql`update threads set visibility = 'draft' where id = ${thread.id}`,
        odin.delete("/categories/left", { move_to: target.id }),
        count(sql, left, -1)
      )
      const { category: moved } = ok(yield* freya.get(`/threads/${thread.id}`))
      assert.deepStrictEqual([moved.id, moved.postCount], [target.id, 0])
    })
  )

  it.effect("lock the threads of one in the order of their ids before they move", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const [from, target] = [yield* category(odin, "From"), yield* category(odin, "To")]
      const [first, second] = [
        yield* open(freya, "First", { category: from.id }),
        yield* open(freya, "Second", { category: from.id })
      ]
      // Stored after the other since, so that it is not by chance the first that a statement finds.
      yield* sql`update threads set active_at = active_at where id = ${first.id}`
      const hold = ({ id }: { readonly id: string }) =>
        sql`select from threads where id = ${id} for no key update`
      yield* between(hold(first), odin.delete("/categories/from", { move_to: target.id }), hold(second))
    })
  )

  it.effect("lock the rows of several in the order of their ids", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const above = yield* category(odin, "Above")
      const inside = yield* category(odin, "Inside", { parent: above.id })
      const [second, third] = [yield* category(odin, "Second"), yield* category(odin, "Third")]
      // Stored after the others since, so that it is not by chance the first that a statement finds.
      ok(yield* odin.patch("/categories/above", { colour: "red" }))
      yield* between(
        count(sql, above),
        odin.patch("/categories/above/position", { after: third.id }),
        count(sql, second)
      )
      yield* between(
        count(sql, inside),
        odin.delete("/categories/above", { move_to: third.id }),
        count(sql, third)
      )
    })
  )
})
