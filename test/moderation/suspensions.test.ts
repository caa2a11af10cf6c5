/** Suspending accounts. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound, AdministratorProtected } from "../../src/domain/account/Account.ts"
import { SignInSuspended } from "../../src/domain/authentication/Password.ts"
import { SuspensionOfSelf } from "../../src/domain/moderation/ModerationAction.ts"
import { LastAdministrator } from "../../src/domain/role/RoleRefusal.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, signIn, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { admin } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a suspended account", (it) => {
  it.effect("does nothing from its next request on, on every instance, and all again once reinstated", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const there = <A, E, R>(request: Effect.Effect<A, E, R>) =>
        Effect.provideService(request, HttpClient.HttpClient, elsewhere)
      const thread = yield* open(freya, "Stays")
      const suspended = yield* odin.post("/admin/bans/freya")
      const account = ok(suspended)
      assert.strictEqual(account.id, freya.id)
      assert.isString(account.suspended)
      assert.strictEqual(account.deletedAt, account.suspended)
      assert.strictEqual(suspended.headers["cache-control"], "private, no-cache")

      for (const here of [<A, E, R>(request: Effect.Effect<A, E, R>) => request, there]) {
        assertProblem(yield* here(freya.get("/accounts")), AccountSuspended)
        assertProblem(yield* here(freya.get("/threads")), AccountSuspended)
        assertProblem(yield* here(freya.post("/threads", { title: "No" })), AccountSuspended)
        assertProblem(yield* here(signIn("freya")), SignInSuspended)
        assertProblem(yield* here(signIn("freya", "the wrong one")), SignInSuspended)
        assert.strictEqual(ok(yield* here(freya.get("/session"))).account.suspended, account.suspended)
      }
      assert.strictEqual(ok(yield* guest.get(`/threads/${thread.id}`)).author.suspended, account.suspended)
      assert.strictEqual(ok(yield* guest.get("/profiles/freya")).suspended, account.suspended)

      assert.notProperty(ok(yield* odin.delete("/admin/bans/freya")), "suspended")
      ok(yield* there(freya.get("/accounts")))
      ok(yield* signIn("freya"))
    })
  )

  it.effect("is not any account, and not suspended by anyone", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_SUSPENSIONS")
      assertProblem(yield* guest.post("/admin/bans/freya"), Unauthenticated)
      assertProblem(yield* loki.post("/admin/bans/freya"), Forbidden)
      assertProblem(yield* loki.delete("/admin/bans/freya"), Forbidden)
      assertProblem(yield* tyr.post("/admin/bans/odin"), AdministratorProtected)
      assertProblem(yield* tyr.delete("/admin/bans/odin"), AdministratorProtected)
      assertProblem(yield* tyr.post("/admin/bans/tyr"), SuspensionOfSelf)
      assertProblem(yield* odin.post(`/admin/bans/${odin.id}`), SuspensionOfSelf)
      assertProblem(yield* tyr.post("/admin/bans/hel"), AccountNotFound)
      // An administrator is one through any role.
      yield* grant(loki, "ADMINISTRATOR")
      assertProblem(yield* tyr.post(`/admin/bans/${loki.id}`), AdministratorProtected)
      ok(yield* odin.post(`/admin/bans/${loki.id}`))
      ok(yield* odin.delete("/admin/bans/LOKI"))
      ok(yield* tyr.post(`/admin/bans/${freya.id}`))
      // Whoever is suspended suspends nobody.
      yield* grant(freya, "MANAGE_SUSPENSIONS")
      assertProblem(yield* freya.post("/admin/bans/tyr"), AccountSuspended)
      ok(yield* tyr.delete(`/admin/bans/${freya.id}`))
    })
  )

  it.effect("is in the audit log once for each call, with who did it", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_SUSPENSIONS")
      const before = ok(yield* odin.get("/admin/audit-events")).events.length
      const first = ok(yield* tyr.post("/admin/bans/freya")).suspended
      yield* TestClock.adjust("1 second")
      const second = ok(yield* tyr.post("/admin/bans/freya")).suspended
      assert.strictEqual(Date.parse(second) - Date.parse(first), 1000)
      ok(yield* odin.delete("/admin/bans/freya"))
      const { events } = ok(yield* odin.get("/admin/audit-events"))
      assert.deepStrictEqual(
        events
          .slice(0, events.length - before)
          .map((one: { type: string; account_id: string; enacted_by: { handle: string } }) => [
            one.type,
            one.account_id,
            one.enacted_by.handle
          ]),
        [
          ["account_unsuspended", freya.id, "odin"],
          ["account_suspended", freya.id, "tyr"],
          ["account_suspended", freya.id, "tyr"]
        ]
      )
    })
  )

  it.effect("is decided in turn: of two administrators who suspend each other, one stays", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const elsewhere = yield* TestApp.UncachedClient
      const before = ok(yield* odin.get("/admin/audit-events?types=account_suspended")).events.length
      for (const _ of Array.from({ length: 10 })) {
        yield* sql`update accounts set admin = id in (${odin.id}, ${freya.id}), suspended_at = null`
        const answers = yield* Effect.all(
          [
            odin.post("/admin/bans/freya"),
            Effect.provideService(freya.post("/admin/bans/odin"), HttpClient.HttpClient, elsewhere)
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 403])
        const left = yield* sql`select id from accounts where admin and suspended_at is null`
        assert.strictEqual(left.length, 1)
      }
      yield* sql`update accounts set admin = (id = ${odin.id}), suspended_at = null`
      const { events } = ok(yield* odin.get("/admin/audit-events?types=account_suspended"))
      assert.strictEqual(events.length, before + 10)
    })
  )

  it.effect("is not the last administrator, who could not be replaced", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const deputy = yield* signUp("deputy")
      yield* grant(deputy, "ADMINISTRATOR")
      assertProblem(yield* deputy.post("/admin/bans/odin"), LastAdministrator)
      ok(yield* odin.get("/admin/audit-events"))
      ok(yield* odin.put(`/accounts/freya/roles/${admin.id}`))
      ok(yield* deputy.post("/admin/bans/odin"))
      assertProblem(yield* deputy.post("/admin/bans/freya"), LastAdministrator)
      // Renewing the time leaves as many as there were.
      ok(yield* deputy.post("/admin/bans/odin"))
      ok(yield* freya.delete("/admin/bans/odin"))
      ok(yield* freya.post("/admin/bans/deputy"))
      ok(yield* odin.delete(`/accounts/freya/roles/${admin.id}`))
    })
  )

  it.effect("is nobody whom the caller may not suspend any more when it is their turn", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const warden = yield* signUp("warden")
      const role = yield* grant(warden, "MANAGE_SUSPENSIONS")
      const waiting = (change: Effect.Effect<unknown, unknown>) =>
        Effect.flatMap(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`select lock_roles()`
              const asked = yield* Effect.forkChild(warden.post(`/admin/bans/${freya.id}`))
              yield* untilWaiting(1)
              yield* change
              return asked
            })
          ),
          Fiber.join
        )
      assertProblem(
        yield* waiting(sql`update accounts set admin = true where id = ${freya.id}`),
        AdministratorProtected
      )
      yield* sql`update accounts set admin = false where id = ${freya.id}`
      // The account that was meant is suspended, whoever has its handle by then.
      const renamed = yield* waiting(sql`update accounts set handle = 'vana', handle_key = 'vana'
        where id = ${freya.id}`)
      assert.strictEqual(ok(renamed).id, freya.id)
      assertProblem(yield* waiting(sql`update roles set permissions = '{}' where id = ${role}`), Forbidden, {
        permission: "MANAGE_SUSPENSIONS"
      })
      ok(yield* loki.get("/accounts"))
    })
  )
})
