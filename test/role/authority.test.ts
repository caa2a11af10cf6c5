/** Nobody gives others, or themselves, what they do not hold. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { idsOf, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { admin, guestRole, member } from "../support/roles.ts"

const create = (by: Person, name: string, ...permissions: ReadonlyArray<string>) =>
  by.post("/roles", { name, colour: "", permissions })

const idOf = (by: Person, name: string, ...permissions: ReadonlyArray<string>) =>
  Effect.map(create(by, name, ...permissions), (answer) => ok(answer).id as string)

/** Roles, who holds them, and who is an administrator. */
const everything = SqlClient.SqlClient.use((sql) =>
  Effect.all([
    sql`select * from roles order by id`,
    sql`select * from account_roles order by account_id, role_id`,
    sql`select id, admin from accounts order by id`
  ])
)

/** Everything that changes roles or who holds them. */
const writes = (by: Person, role: string, ids: ReadonlyArray<string>) => [
  create(by, "Mine"),
  by.patch(`/roles/${role}`, { name: "Mine" }),
  by.patch("/roles/order", { role_ids: ids }),
  by.delete(`/roles/${role}`),
  by.put(`/accounts/loki/roles/${role}`),
  by.delete(`/accounts/loki/roles/${role}`),
  by.put(`/accounts/loki/roles/${role}/badge`),
  by.delete(`/accounts/loki/roles/${role}/badge`)
]

layer(People.layer)("managing roles", (it) => {
  it.effect("needs MANAGE_ROLES, whatever else an account holds", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* grant(
        freya,
        ...Permission.literals.filter((one) => one !== "MANAGE_ROLES" && one !== "ADMINISTRATOR")
      )
      const role = yield* grant(loki, "CREATE_POST")
      const ids = idsOf(ok(yield* odin.get("/roles")).roles).slice(1, -2)
      const before = yield* everything
      for (const call of writes(freya, role, ids)) {
        assertProblem(yield* call, Forbidden, { permission: "MANAGE_ROLES" })
      }
      for (const call of writes(guest, role, ids)) assertProblem(yield* call, Unauthenticated)
      assert.deepStrictEqual(yield* everything, before)
    })
  )

  it.effect("gives no permission that the manager does not hold, in any way", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const manager = yield* signUp("manager")
      const friend = yield* signUp("friend")
      const own = yield* grant(manager, "MANAGE_ROLES")
      const others = Permission.literals.filter(
        (one) => one !== "MANAGE_ROLES" && !member.permissions.includes(one)
      )
      assert.isAbove(others.length, 20)
      for (const permission of others) {
        const [bare, bearing] = [
          yield* idOf(odin, `without ${permission}`),
          yield* idOf(odin, `with ${permission}`, "CREATE_POST", permission)
        ]
        const before = yield* everything
        for (const call of [
          create(manager, "New", "CREATE_POST", permission),
          manager.patch(`/roles/${bare}`, { permissions: ["CREATE_POST", permission], name: "x" }),
          manager.patch(`/roles/${own}`, { permissions: ["MANAGE_ROLES", permission] }),
          manager.patch(`/roles/${member.id}`, { permissions: [permission, ...member.permissions] }),
          manager.put(`/accounts/manager/roles/${bearing}`),
          manager.put(`/accounts/friend/roles/${bearing}`)
        ]) {
          assertProblem(yield* call, Forbidden, { permission })
        }
        assert.deepStrictEqual(yield* everything, before)
        yield* odin.delete(`/roles/${bare}`)
        yield* odin.delete(`/roles/${bearing}`)
      }
      assert.deepStrictEqual(idsOf(ok(yield* friend.get("/accounts")).roles), [member.id])
    })
  )

  it.effect("gives what the manager holds, through any role", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const manager = yield* signUp("holder")
      yield* grant(manager, "MANAGE_ROLES")
      yield* grant(manager, "MANAGE_POSTS")
      const role = yield* idOf(manager, "Posts", "MANAGE_POSTS", "CREATE_POST")
      ok(yield* manager.put(`/accounts/loki/roles/${role}`))
      ok(yield* manager.patch(`/roles/${role}`, { permissions: ["MANAGE_ROLES", "MANAGE_POSTS"] }))
      // What the role has already is no gift, nor is anything that is taken away.
      ok(yield* odin.patch(`/roles/${role}`, { permissions: ["VIEW_ACCOUNTS", "MANAGE_POSTS"] }))
      ok(
        yield* manager.patch(`/roles/${role}`, {
          permissions: ["MANAGE_POSTS", "VIEW_ACCOUNTS"],
          colour: "red"
        })
      )
      ok(yield* manager.patch(`/roles/${role}`, { permissions: ["VIEW_ACCOUNTS"] }))
      ok(yield* manager.delete(`/accounts/loki/roles/${role}`))
      assertProblem(yield* manager.put(`/accounts/loki/roles/${role}`), Forbidden, {
        permission: "VIEW_ACCOUNTS"
      })
      assert.strictEqual((yield* manager.delete(`/roles/${role}`)).status, 200)
    })
  )

  it.effect("gives nothing back by resetting a role that the manager does not hold", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const manager = yield* signUp("resetter")
      yield* grant(manager, "MANAGE_ROLES")
      ok(yield* odin.patch(`/roles/${member.id}`, { permissions: [] }))
      const before = yield* everything
      assertProblem(yield* manager.delete(`/roles/${member.id}`), Forbidden, { permission: "CREATE_POST" })
      assert.deepStrictEqual(yield* everything, before)
      yield* grant(manager, ...member.permissions)
      assert.strictEqual((yield* manager.delete(`/roles/${member.id}`)).status, 200)
      ok(yield* odin.patch(`/roles/${guestRole.id}`, { permissions: [] }))
      assert.strictEqual((yield* manager.delete(`/roles/${guestRole.id}`)).status, 200)
    })
  )
})

layer(People.layer)("roles with ADMINISTRATOR", (it) => {
  it.effect("are changed, assigned and taken by administrators only", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      yield* grant(freya, ...Permission.literals.filter((one) => one !== "ADMINISTRATOR"))
      const bearing = yield* grant(loki, "ADMINISTRATOR", "CREATE_POST")
      const before = yield* everything
      for (const role of [bearing, admin.id]) {
        for (const call of [
          freya.patch(`/roles/${role}`, { name: "Harmless" }),
          freya.delete(`/roles/${role}`),
          freya.put(`/accounts/tyr/roles/${role}`),
          freya.delete(`/accounts/odin/roles/${role}`),
          freya.delete(`/accounts/loki/roles/${role}`)
        ]) {
          assertProblem(yield* call, Forbidden, { permission: "ADMINISTRATOR" })
        }
      }
      for (const call of [
        freya.put(`/accounts/freya/roles/${bearing}`),
        freya.patch(`/roles/${bearing}`, { permissions: [] }),
        create(freya, "Other", "ADMINISTRATOR"),
        freya.patch(`/roles/${member.id}`, { permissions: ["ADMINISTRATOR"] })
      ]) {
        assertProblem(yield* call, Forbidden, { permission: "ADMINISTRATOR" })
      }
      assert.deepStrictEqual(yield* everything, before)
      // Whoever holds it through any role is an administrator.
      ok(yield* loki.patch(`/roles/${bearing}`, { name: "Deputies" }))
      ok(yield* loki.put(`/accounts/tyr/roles/${bearing}`))
      ok(yield* odin.delete(`/accounts/tyr/roles/${bearing}`))
      ok(yield* odin.delete(`/accounts/loki/roles/${bearing}`))
      assertProblem(yield* loki.patch(`/roles/${bearing}`, { name: "x" }), Forbidden, {
        permission: "MANAGE_ROLES"
      })
    })
  )

  it.effect("do not keep managers from the other roles of administrators", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const manager = yield* signUp("manager")
      yield* grant(manager, "MANAGE_ROLES")
      const role = yield* idOf(manager, "Harmless")
      ok(yield* manager.put(`/accounts/odin/roles/${role}`))
      ok(yield* manager.delete(`/accounts/odin/roles/${role}`))
      ok(yield* manager.put(`/accounts/tyr/roles/${role}/badge`))
      assert.strictEqual(ok(yield* odin.get("/accounts")).admin, true)
      assert.isNotEmpty(ok(yield* tyr.get("/accounts")).roles)
    })
  )
})
