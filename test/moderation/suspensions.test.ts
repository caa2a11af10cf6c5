/** Suspending accounts (identity contract 4.3, 14.3). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { SignInSuspended } from "../../src/domain/authentication/Password.ts"
import { AdministratorProtected, SuspensionOfSelf } from "../../src/domain/moderation/Suspension.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, drainEvents, grant, guest, signIn } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
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
      yield* drainEvents
      const before = ok(yield* odin.get("/admin/audit-events")).events.length
      const first = ok(yield* tyr.post("/admin/bans/freya")).suspended
      const second = ok(yield* tyr.post("/admin/bans/freya")).suspended
      assert.isTrue(second >= first)
      ok(yield* odin.delete("/admin/bans/freya"))
      yield* drainEvents
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
})
