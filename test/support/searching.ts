/** Searches that take too long. */
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SearchTookTooLong } from "../../src/domain/text/TextProblem.ts"
import { type Answer, ok } from "./answers.ts"
import { untilWaiting } from "./database.ts"
import { guest } from "./people.ts"
import { assertProblem } from "./problems.ts"

type Asking = Effect.Effect<Answer, unknown, HttpClient.HttpClient>

/** Asserts that a search that has to wait for a table is cancelled after two seconds, while something else is answered. */
export const assertCancelled = Effect.fnUntraced(function* (
  table: string,
  search: Asking,
  other: Asking = guest.get("/threads")
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`lock table ${sql(table)} in access exclusive mode`
      const asked = yield* Effect.forkChild(search)
      yield* untilWaiting(1)
      yield* TestClock.adjust("1999 millis")
      ok(yield* other)
      yield* untilWaiting(1)
      yield* TestClock.adjust("1 millis")
      const answer = yield* Fiber.join(asked)
      assertProblem(answer, SearchTookTooLong, { maximum_seconds: 2, retry_after: 2 })
      assert.strictEqual(answer.headers["retry-after"], "2")
      yield* untilWaiting(0)
    })
  )
})
