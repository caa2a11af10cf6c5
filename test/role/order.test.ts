/** The order of the custom roles. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { RoleOrderInvalid } from "../../src/domain/role/RoleRefusal.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { admin, guestRole, member } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"

const roles = Effect.map(guest.get("/roles"), (answer) => idsOf(ok(answer).roles))

layer(TestApp.layer)("without custom roles", (it) => {
  it.effect("the order is empty", () =>
    Effect.gen(function* () {
      const odin = yield* People.signUp("odin")
      assert.deepStrictEqual(idsOf(ok(yield* odin.patch("/roles/order", { role_ids: [] })).roles), [
        admin.id,
        member.id,
        guestRole.id
      ])
    })
  )
})

layer(People.layer)("the order of custom roles", (it) => {
  it.effect("is as it was set, for the list, for holders and for those who are given a role later", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from roles where not built_in`
      const [a, b, c] = [yield* grant(freya), yield* grant(freya), yield* grant(freya)]
      assert.deepStrictEqual(yield* roles, [admin.id, c, b, a, member.id, guestRole.id])
      for (const role_ids of [
        [b, a, c],
        [a, b, c],
        [a, b, c]
      ]) {
        const { roles: listed } = ok(yield* odin.patch("/roles/order", { role_ids }))
        assert.deepStrictEqual(idsOf(listed), [admin.id, ...role_ids, member.id, guestRole.id])
        assert.deepStrictEqual(yield* roles, idsOf(listed))
        assert.deepStrictEqual(idsOf(ok(yield* freya.get("/accounts")).roles), [...role_ids, member.id])
        const profile = ok(yield* guest.get("/profiles/freya"))
        assert.deepStrictEqual(idsOf(profile.roles), [...role_ids, member.id])
      }
      const top = ok(yield* odin.post("/roles", { name: "Top", colour: "", permissions: [] })).id
      assert.deepStrictEqual(yield* roles, [admin.id, top, a, b, c, member.id, guestRole.id])
      yield* odin.delete(`/roles/${b}`)
      assert.deepStrictEqual(yield* roles, [admin.id, top, a, c, member.id, guestRole.id])
    })
  )

  it.effect("has every custom role once, and no other", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from roles where not built_in`
      const [a, b] = [yield* grant(freya), yield* grant(freya)]
      const before = yield* roles
      for (const [role_ids, rule, role_id] of [
        [[], "missing", b],
        [[b], "missing", a],
        [[a, b, a], "duplicate", a],
        [[a, nobody, b], "unknown", nobody],
        [[admin.id, a, b], "built-in", admin.id],
        [[a, b, member.id], "built-in", member.id],
        [[a, b, guestRole.id], "built-in", guestRole.id]
      ] as const) {
        assertProblem(yield* odin.patch("/roles/order", { role_ids }), RoleOrderInvalid, { rule, role_id })
      }
      assertInvalid(yield* odin.patch("/roles/order", {}), "body role_ids")
      assertInvalid(yield* odin.patch("/roles/order", { role_ids: ["x"] }), "body role_ids.0")
      assertInvalid(yield* odin.patch("/roles/order", { role_ids: Array(201).fill(a) }), "body role_ids")
      assert.deepStrictEqual(yield* roles, before)
    })
  )

  it.effect("is for those who manage roles", () =>
    Effect.gen(function* () {
      const { freya, tyr } = yield* Cast
      assertProblem(yield* tyr.patch("/roles/order", { role_ids: [] }), Forbidden, {
        permission: "MANAGE_ROLES"
      })
      yield* grant(freya, "MANAGE_ROLES")
      const role_ids = (yield* roles).slice(1, -2).toReversed()
      ok(yield* freya.patch("/roles/order", { role_ids }))
    })
  )
})
