/** Races: what happens if the data changes between two statements of one request, or while a request waits. */

import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import type { HttpClientError } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountStore } from "../../src/domain/account/AccountStore.ts"
import { EventNotFound } from "../../src/domain/calendar/CalendarEvent.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ThreadStore } from "../../src/domain/thread/ThreadStore.ts"
import { DeadlineExceeded } from "../../src/http/shared/RequestProblems.ts"
import type { Answer } from "../support/answers.ts"
import { fieldsOf } from "../support/calendar.ts"
import { category } from "../support/discussion.ts"
import * as Logs from "../support/logs.ts"
import { guest, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const withoutAccounts = TestApp.storesBut(AccountStore, (ours) => ({
  ...ours,
  find: () => Effect.succeed(Option.none())
}))

layer(TestApp.layerWhere({}, withoutAccounts))("an account that is deleted during its request", (it) => {
  it.effect("is not authenticated any more", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      assertProblem(yield* odin.get("/accounts"), Unauthenticated)
      assertProblem(yield* odin.patch("/accounts", { bio: "still here" }), Unauthenticated)
    })
  )
})

const withoutPages = TestApp.storesBut(ThreadStore, (ours) => ({
  ...ours,
  findPage: () => Effect.succeed(Option.none())
}))

layer(TestApp.layerWhere({}, withoutPages))("a thread that is deleted before its author reads it", (it) => {
  it.effect("is not found", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const opened = yield* odin.post("/threads", { title: "Gone", visibility: "published" })
      assertProblem(opened, ThreadNotFound)
      const [listed] = (yield* odin.get("/threads")).json.threads
      assertProblem(yield* odin.patch(`/threads/${listed.id}`, { title: "Back" }), ThreadNotFound)
      const { id } = yield* category(odin, "Place")
      assertProblem(yield* odin.post("/events", fieldsOf(id)), EventNotFound)
    })
  )
})

layer(Layer.provideMerge(TestApp.layer, Logs.layer))("a request that waits for a lock", (it) => {
  const untilWaiting = (expected: boolean) =>
    SqlClient.SqlClient.use((sql) =>
      sql<{ readonly waits: boolean }>`select exists (
        select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
      ) as waits`.pipe(Effect.repeat({ until: ([row]) => row?.waits === expected }))
    )

  /** Asks for a change of a thread that a transaction has locked, and continues in that transaction when the request waits. */
  const held = Effect.fnUntraced(function* <A, E, R>(
    name: string,
    then: (asked: Fiber.Fiber<Answer, HttpClientError.HttpClientError>) => Effect.Effect<A, E, R>
  ) {
    const sql = yield* SqlClient.SqlClient
    const odin = yield* signUp(name)
    const { id } = (yield* odin.post("/threads", { title: "Held", visibility: "published" })).json
    const change = odin.patch(`/threads/${id}`, { title: "Changed" })
    const answer = yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select from threads where id = ${id} for update`
        const asked = yield* Effect.forkChild(change)
        yield* untilWaiting(true)
        const answer = yield* then(asked)
        yield* untilWaiting(false)
        return answer
      })
    )
    assert.strictEqual((yield* guest.get(`/threads/${id}`)).json.title, "Held")
    return answer
  })

  it.effect("is cancelled after 30 seconds, in the database too, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const answer = yield* held("odin", (asked) =>
        Effect.andThen(TestClock.adjust("30 seconds"), Fiber.join(asked))
      )
      assertProblem(answer, DeadlineExceeded)
      assert.strictEqual(answer.headers["retry-after"], "1")
    })
  )

  it.effect("is cancelled likewise when its client closes the connection", () =>
    Effect.gen(function* () {
      const changes = Effect.map(Logs.accesses, (lines) =>
        lines.filter(({ annotations }) => annotations.method === "PATCH")
      )
      const before = yield* changes
      yield* held("freya", Fiber.interrupt)
      // The line is written some time after the statement has ended.
      const { [before.length]: line } = yield* Effect.repeat(
        TestClock.withLive(Effect.delay(changes, "5 millis")),
        { until: ({ length }) => length > before.length }
      )
      assert.strictEqual(line?.annotations.status, 499)
    })
  )
})
