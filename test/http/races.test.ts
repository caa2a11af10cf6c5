/** Races: what happens if the data changes between two statements of one request, or while a request waits. */

import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountStore } from "../../src/domain/account/AccountStore.ts"
import { SessionStore } from "../../src/domain/session/SessionStore.ts"
import { CookieRequired, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ThreadNotFound } from "../../src/domain/thread/Thread.ts"
import { ThreadStore } from "../../src/domain/thread/ThreadStore.ts"
import { DeadlineExceeded } from "../../src/http/shared/RequestProblems.ts"
import { operations } from "../support/operations.ts"
import { call, guest, signUp } from "../support/people.ts"
import { assertProblem, problemOf } from "../support/problems.ts"
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
    })
  )
})

const byToken = TestApp.storesBut(SessionStore, (ours) => ({
  ...ours,
  identify: (tokenHash, at) =>
    Effect.map(ours.identify(tokenHash, at), (actor) =>
      actor._tag === "Account" ? { ...actor, credential: "bearer" } : actor
    )
}))

layer(TestApp.layerWhere({}, byToken))("a caller with a bearer token", (it) => {
  it.effect("is refused by the operations that require the cookie, and by no others", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const refused = operations.filter(({ access }) => "cookieOnly" in access && access.cookieOnly)
      assert.isNotEmpty(refused)
      for (const operation of operations) {
        const { method, path } = operation
        const answer = yield* call(method, path, { headers: odin.headers })
        const about = `${method} ${path}`
        if (refused.includes(operation)) assertProblem(answer, CookieRequired)
        else assert.notStrictEqual(problemOf(answer), "cookie-required", about)
      }
    })
  )
})

layer(TestApp.layer)("a request that waits for a lock", (it) => {
  it.effect("is cancelled after 30 seconds, in the database too, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const odin = yield* signUp("odin")
      const { id } = (yield* odin.post("/threads", { title: "Held", visibility: "published" })).json
      const untilWaiting = (expected: boolean) =>
        sql<{ readonly waits: boolean }>`select exists (
          select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
        ) as waits`.pipe(Effect.repeat({ until: ([row]) => row?.waits === expected }))
      const answer = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select from threads where id = ${id} for update`
          const waiting = yield* Effect.forkChild(odin.patch(`/threads/${id}`, { title: "Changed" }))
          yield* untilWaiting(true)
          yield* TestClock.adjust("30 seconds")
          const answer = yield* Fiber.join(waiting)
          yield* untilWaiting(false)
          return answer
        })
      )
      assertProblem(answer, DeadlineExceeded)
      assert.strictEqual(answer.headers["retry-after"], "1")
      assert.strictEqual((yield* guest.get(`/threads/${id}`)).json.title, "Held")
    })
  )
})
