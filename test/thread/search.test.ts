import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SearchTookTooLong } from "../../src/domain/thread/Thread.ts"
import { idsOf, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"

layer(People.layer)("a search", (it) => {
  it.effect("that takes longer than two seconds is cancelled in the database, and others go on", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const thread = yield* open(freya, "Needle")
      const search = guest.get("/threads?q=needle")
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`lock table search_texts in access exclusive mode`
          const asked = yield* Effect.forkChild(search)
          yield* untilWaiting(1)
          yield* TestClock.adjust("1999 millis")
          ok(yield* guest.get("/threads"))
          yield* untilWaiting(1)
          yield* TestClock.adjust("1 millis")
          const answer = yield* Fiber.join(asked)
          assertProblem(answer, SearchTookTooLong, { maximum_seconds: 2, retry_after: 2 })
          assert.strictEqual(answer.headers["retry-after"], "2")
          yield* untilWaiting(0)
        })
      )
      assert.deepStrictEqual(idsOf(ok(yield* search).threads), [thread.id])
    })
  )
})
