/** Who holds which roles. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccountNotFound } from "../../src/domain/account/Account.ts"
import { heldMax, RoleNotFound } from "../../src/domain/role/Role.ts"
import {
  LastAdministrator,
  OwnAdminRole,
  RoleAlreadyHeld,
  RoleNotAssignable,
  RoleUnknown,
  TooManyRolesHeld
} from "../../src/domain/role/RoleRefusal.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, type Person, reinstate, signUp, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { admin, guestRole, held, member } from "../support/roles.ts"

const create = (by: Person, name: string, ...permissions: ReadonlyArray<string>) =>
  Effect.map(by.post("/roles", { name, colour: "", permissions }), (answer) => ok(answer).id as string)

const rolesOf = (person: Person) => Effect.map(person.get("/accounts"), (answer) => idsOf(ok(answer).roles))

layer(People.layer)("assigning a role", (it) => {
  it.effect("answers the account, which holds the role until it is taken away", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const id = yield* create(odin, "Viewer", "VIEW_ACCOUNTS")
      const role = ok(yield* guest.get(`/roles/${id}`))
      const look = freya.get(`/accounts/${loki.id}`)
      assertProblem(yield* look, Forbidden, { permission: "VIEW_ACCOUNTS" })
      const given = ok(yield* odin.put(`/accounts/freya/roles/${id}`))
      assert.strictEqual(given.id, freya.id)
      assert.deepStrictEqual(given.roles, [role, held(member)])
      assert.deepStrictEqual(given, ok(yield* freya.get("/accounts")))
      assert.strictEqual((yield* look).status, 200)
      const taken = ok(yield* odin.delete(`/accounts/freya/roles/${id}`))
      assert.deepStrictEqual(taken, { ...given, roles: [held(member)] })
      assertProblem(yield* look, Forbidden, { permission: "VIEW_ACCOUNTS" })
    })
  )

  it.effect("names the account by handle or id", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      for (const [n, name] of ["freya", "FREYA", freya.id].entries()) {
        const id = yield* create(odin, `Named ${n}`)
        assert.include(idsOf(ok(yield* odin.put(`/accounts/${name}/roles/${id}`)).roles), id, name)
        assert.notInclude(idsOf(ok(yield* odin.delete(`/accounts/${name}/roles/${id}`)).roles), id, name)
      }
      const id = yield* create(odin, "Of nobody")
      for (const account of ["nobody", nobody, "freya'"]) {
        const path = `/accounts/${encodeURIComponent(account)}/roles/${id}`
        for (const answer of [yield* odin.put(path), yield* odin.delete(path)]) {
          assertProblem(answer, AccountNotFound, { account })
        }
        for (const answer of [yield* odin.put(`${path}/badge`), yield* odin.delete(`${path}/badge`)]) {
          assertProblem(answer, AccountNotFound, { account })
        }
      }
    })
  )

  it.effect("twice is refused, and taking it away twice is not", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const id = yield* create(odin, "Once")
      const path = `/accounts/loki/roles/${id}`
      ok(yield* odin.put(path))
      assertProblem(yield* odin.put(path), RoleAlreadyHeld, { role_id: id })
      assert.deepStrictEqual(yield* rolesOf(loki), [id, member.id])
      const once = ok(yield* odin.delete(path))
      assert.deepStrictEqual(ok(yield* odin.delete(path)), once)
    })
  )

  it.effect("of no role is refused, and so are those that nobody is assigned", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      assertProblem(yield* odin.put(`/accounts/loki/roles/${nobody}`), RoleUnknown, { role_id: nobody })
      assert.strictEqual((yield* odin.delete(`/accounts/loki/roles/${nobody}`)).status, 200)
      for (const role_id of [member.id, guestRole.id]) {
        for (const handle of ["loki", "odin"]) {
          const path = `/accounts/${handle}/roles/${role_id}`
          for (const answer of [yield* odin.put(path), yield* odin.delete(path)]) {
            assertProblem(answer, RoleNotAssignable, { role_id })
          }
        }
      }
      for (const role_id of ["x", "Admin", `${admin.id}x`]) {
        const path = `/accounts/loki/roles/${role_id}`
        for (const address of [path, `${path}/badge`]) {
          for (const answer of [yield* odin.put(address), yield* odin.delete(address)]) {
            assertProblem(answer, RoleNotFound, { role_id })
          }
        }
      }
      const sql = yield* SqlClient.SqlClient
      for (const { id } of [admin, member, guestRole]) {
        const refused = yield* Effect.flip(
          sql`insert into account_roles (account_id, role_id) select id, ${id} from accounts`
        )
        assert.strictEqual(refused.reason._tag, "ConstraintError")
      }
    })
  )

  it.effect("works for suspended accounts, which stay suspended", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const idle = yield* signUp("idle")
      yield* suspend(idle)
      const id = yield* create(odin, "Idle", "VIEW_ACCOUNTS")
      const account = ok(yield* odin.put(`/accounts/idle/roles/${id}`))
      assert.isString(account.suspended)
      assert.strictEqual((yield* idle.get("/accounts")).status, 403)
    })
  )

  it.effect("is limited to so many for an account, also in the database", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const many = yield* signUp("many")
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < heldMax; n++) yield* grant(many)
      const id = yield* create(odin, "Too many")
      assertProblem(yield* odin.put(`/accounts/many/roles/${id}`), TooManyRolesHeld, { maximum: heldMax })
      assert.strictEqual((yield* rolesOf(many)).length, heldMax + 1)
      const refused = yield* Effect.flip(
        sql`insert into account_roles (account_id, role_id) values (${many.id}, ${id})`
      )
      assert.strictEqual(refused.reason._tag, "ConstraintError")
      const [first] = yield* rolesOf(many)
      ok(yield* odin.delete(`/accounts/many/roles/${first}`))
      ok(yield* odin.put(`/accounts/many/roles/${id}`))
    })
  )

  it.effect("changes the tag of the account", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const tagged = yield* signUp("tagged")
      const id = yield* create(odin, "Tagged")
      const path = `/accounts/tagged/roles/${id}`
      let etag: string | undefined
      for (const change of [
        odin.put(path),
        tagged.put(`${path}/badge`),
        odin.delete(`${path}/badge`),
        odin.delete(path)
      ]) {
        for (const address of ["/accounts", "/profiles/tagged"]) {
          const { headers } = yield* tagged.get(address)
          etag = headers.etag ?? ""
          const known = { headers: { "if-none-match": etag } }
          assert.strictEqual((yield* tagged.get(address, known)).status, 304)
        }
        const before = (yield* tagged.get("/accounts")).headers.etag ?? ""
        ok(yield* change)
        assert.strictEqual(
          (yield* tagged.get("/accounts", { headers: { "if-none-match": before } })).status,
          200
        )
        assert.strictEqual(
          (yield* tagged.get("/profiles/tagged", { headers: { "if-none-match": etag ?? "" } })).status,
          200
        )
      }
    })
  )
})

layer(People.layer)("the Admin role", (it) => {
  it.effect("makes an account an administrator until it is taken away", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const path = `/accounts/freya/roles/${admin.id}`
      const given = ok(yield* odin.put(path))
      assert.strictEqual(given.admin, true)
      assert.deepStrictEqual(given.roles, [held(admin), held(member)])
      assert.strictEqual((yield* freya.get("/admin/access-keys")).status, 200)
      assert.deepStrictEqual(idsOf(ok(yield* guest.get("/profiles/freya")).roles), [admin.id, member.id])
      assertProblem(yield* odin.put(path), RoleAlreadyHeld, { role_id: admin.id })
      const taken = ok(yield* odin.delete(path))
      assert.strictEqual(taken.admin, false)
      assert.deepStrictEqual(taken.roles, [held(member)])
      assertProblem(yield* freya.get("/admin/access-keys"), Forbidden, { permission: "ADMINISTRATOR" })
      assert.deepStrictEqual(ok(yield* odin.delete(path)), taken)
    })
  )

  it.effect("is neither given to oneself nor taken from oneself", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const acting = yield* signUp("acting")
      yield* grant(acting, "ADMINISTRATOR")
      for (const [person, handle] of [
        [odin, "odin"],
        [odin, odin.id],
        [acting, "acting"]
      ] as const) {
        const path = `/accounts/${handle}/roles/${admin.id}`
        for (const answer of [yield* person.put(path), yield* person.delete(path)]) {
          assertProblem(answer, OwnAdminRole)
        }
      }
      assert.strictEqual(ok(yield* odin.get("/accounts")).admin, true)
      assert.strictEqual(ok(yield* acting.get("/accounts")).admin, false)
    })
  )

  it.effect("is not taken from the last account that can use it", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const acting = yield* signUp("deputy")
      yield* grant(acting, "ADMINISTRATOR")
      const ofOdin = `/accounts/odin/roles/${admin.id}`
      assertProblem(yield* acting.delete(ofOdin), LastAdministrator)
      ok(yield* odin.put(`/accounts/freya/roles/${admin.id}`))
      yield* suspend(freya)
      assertProblem(yield* acting.delete(ofOdin), LastAdministrator)
      assert.strictEqual(ok(yield* odin.get("/accounts")).admin, true)
      yield* reinstate(freya)
      assert.strictEqual(ok(yield* acting.delete(ofOdin)).admin, false)
      ok(yield* freya.put(ofOdin))
      ok(yield* odin.delete(`/accounts/freya/roles/${admin.id}`))
    })
  )
})
