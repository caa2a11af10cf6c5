/** The badge: the role that an account shows beside its name. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { type Answer, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { admin, guestRole, member } from "../support/roles.ts"

interface Shown {
  readonly id: string
  readonly badge: boolean
}

const badgesIn = (roles: ReadonlyArray<Shown>) => roles.filter(({ badge }) => badge).map(({ id }) => id)

const badges = (answer: Answer) => badgesIn(ok(answer).roles)

const path = (handle: string, role: string) => `/accounts/${handle}/roles/${role}/badge`

layer(People.layer)("a badge", (it) => {
  it.effect("is one role at most, and stays the same when it is set again", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const [a, b] = [yield* grant(freya), yield* grant(freya)]
      for (const role of [a, b, b, a]) {
        const answer = yield* freya.put(path("freya", role))
        assert.deepStrictEqual(badges(answer), [role])
        assert.strictEqual(ok(answer).id, freya.id)
        assert.deepStrictEqual(badgesIn(ok(yield* guest.get("/profiles/freya")).roles), [role])
        assert.deepStrictEqual(ok(answer), ok(yield* freya.get("/accounts")))
      }
      const events = yield* SqlClient.SqlClient.use(
        (sql) => sql`select event from event_log where event ->> '_tag' = 'AccountUpdated'`
      )
      assert.deepStrictEqual(events, Array(3).fill({ event: { _tag: "AccountUpdated", id: freya.id } }))
    })
  )

  it.effect("is taken away by a role that is not assigned, and the account keeps its roles", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const [own, other] = [yield* grant(loki), yield* grant(odin)]
      for (const role of [other, member.id, admin.id, guestRole.id, nobody]) {
        ok(yield* loki.put(path("loki", own)))
        const answer = yield* loki.put(path("loki", role))
        assert.deepStrictEqual(badges(answer), [])
        assert.deepStrictEqual(
          ok(answer).roles.map(({ id }: Shown) => id),
          [own, member.id]
        )
      }
      // The administrator holds Admin, which is not assigned either.
      ok(yield* odin.put(path("odin", other)))
      assert.deepStrictEqual(badges(yield* odin.put(path("odin", admin.id))), [])
    })
  )

  it.effect("is removed whichever role the address names, and the role stays", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      const role = yield* grant(tyr)
      for (const named of [role, member.id, nobody]) {
        ok(yield* tyr.put(path("tyr", role)))
        const answer = yield* tyr.delete(path("tyr", named))
        assert.deepStrictEqual(badges(answer), [])
        assert.include(
          ok(answer).roles.map(({ id }: Shown) => id),
          role
        )
        assert.deepStrictEqual(badges(yield* tyr.delete(path("tyr", named))), [])
      }
    })
  )

  it.effect("goes with its role, and does not come back with it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const vali = yield* signUp("vali")
      const role = yield* grant(vali)
      ok(yield* vali.put(path("vali", role)))
      ok(yield* odin.delete(`/accounts/vali/roles/${role}`))
      assert.deepStrictEqual(badges(yield* odin.put(`/accounts/vali/roles/${role}`)), [])
    })
  )

  it.effect("of another is changed by those who manage roles only", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const hel = yield* signUp("hel")
      const hod = yield* signUp("hod")
      const role = yield* grant(hel)
      yield* grant(hod, "MANAGE_ROLES")
      for (const call of [tyr.put, tyr.delete]) {
        assertProblem(yield* call(path("hel", role)), Forbidden, { permission: "MANAGE_ROLES" })
      }
      for (const call of [guest.put, guest.delete]) {
        assertProblem(yield* call(path("hel", role)), Unauthenticated)
      }
      for (const manager of [odin, hod]) {
        const answer = yield* manager.put(path("hel", role))
        assert.strictEqual(ok(answer).id, hel.id)
        assert.deepStrictEqual(badges(answer), [role])
        assert.deepStrictEqual(badges(yield* manager.delete(path(hel.id, role))), [])
      }
    })
  )

  it.effect("is shown in posts at once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const role = yield* grant(freya)
      const { json: thread } = yield* freya.post("/threads", { title: "x", visibility: "published" })
      const shown = Effect.map(guest.get(`/threads/${thread.id}`), (answer) =>
        badgesIn(ok(answer).author.roles)
      )
      ok(yield* freya.put(path("freya", role)))
      assert.deepStrictEqual(yield* shown, [role])
      ok(yield* freya.delete(path("freya", role)))
      assert.deepStrictEqual(yield* shown, [])
    })
  )
})
