/** What only happens if the world changes between two statements of one request, or while it waits. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountStore } from "../../src/domain/account/AccountStore.ts"
import { SessionStore } from "../../src/domain/session/SessionStore.ts"
import { ThreadStore } from "../../src/domain/thread/ThreadStore.ts"
import { operations } from "../support/operations.ts"
import { call, guest, signUp } from "../support/people.ts"
import { assertProblem, cookieOf, problemOf } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const forgetful = TestApp.storesBut(AccountStore, (ours) => ({
  ...ours,
  find: () => Effect.succeed(Option.none())
}))

layer(TestApp.layerWhere({}, forgetful))("an account that vanishes during its request", (it) => {
  it.effect("is not authenticated any more", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      assertProblem(yield* odin.get("/accounts"), 401, "unauthenticated")
      assertProblem(yield* odin.patch("/accounts", { bio: "still here" }), 401, "unauthenticated")
    })
  )
})

const withoutPages = TestApp.storesBut(ThreadStore, (ours) => ({
  ...ours,
  findPage: () => Effect.succeed(Option.none())
}))

layer(TestApp.layerWhere({}, withoutPages))("a thread that goes before its author sees it", (it) => {
  it.effect("is not found, and no failure of ours", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const opened = yield* odin.post("/threads", { title: "Gone", visibility: "published" })
      assertProblem(opened, 404, "thread-not-found")
      const [listed] = (yield* odin.get("/threads")).json.threads
      assertProblem(yield* odin.patch(`/threads/${listed.id}`, { title: "Back" }), 404, "thread-not-found")
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

layer(TestApp.layerWhere({}, byToken))("a caller with a token", (it) => {
  it.effect("gets in everywhere but where the cookie has to be", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const refused = operations.filter(({ access }) => "cookieOnly" in access && access.cookieOnly)
      assert.isNotEmpty(refused)
      for (const operation of operations) {
        const { method, path } = operation
        const answer = yield* call(method, path, { headers: cookieOf(odin) })
        const about = `${method} ${path}`
        if (refused.includes(operation)) assertProblem(answer, 403, "cookie-required", about)
        else assert.notStrictEqual(problemOf(answer), "cookie-required", about)
      }
    })
  )
})

layer(TestApp.layer)("a request that waits for another", (it) => {
  it.effect("is given up after half a minute, also in the database, and nothing of it stays", () =>
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
      assertProblem(answer, 503, "deadline-exceeded")
      assert.strictEqual(answer.headers["retry-after"], "1")
      assert.strictEqual((yield* guest.get(`/threads/${id}`)).json.title, "Held")
    })
  )
})
