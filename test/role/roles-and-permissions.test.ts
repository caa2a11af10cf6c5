import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { RoleNotFound } from "../../src/domain/role/Role.ts"
import { takenBy } from "../../src/domain/shared/Access.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { isForAccounts, operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call, grant, guest, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { admin, guestRole, held, member, unedited } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"

/** Calls an operation with an invalid request, so that only the caller is checked. */
const misuse = (person: Person, { method, path }: (typeof operations)[number]) =>
  call(method, path, {
    headers: person.cookie === undefined ? {} : person.headers,
    ...(method === "GET" ? {} : { body: "{" })
  })

const setPermissions = (role: string, permissions: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use(
    (sql) => sql`update roles set permissions = ${permissions}::text[] where id = ${role}`
  )

layer(TestApp.layer)("the roles of an instance", (it) => {
  it.effect("are public, highest first", () =>
    Effect.gen(function* () {
      const freya = yield* signUp("freya")
      const builtIn = [admin, member, guestRole].map(unedited)
      for (const person of [guest, freya]) {
        const answer = yield* person.get("/roles")
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(answer.json, { roles: builtIn })
      }
      const low = yield* grant(freya, "MANAGE_POSTS")
      const high = yield* grant(freya)
      const { json } = yield* guest.get("/roles")
      assert.deepStrictEqual(
        json.roles.map(({ id }: { readonly id: string }) => id),
        [admin.id, high, low, member.id, guestRole.id]
      )
      assert.deepStrictEqual(json.roles[1].permissions, [])
      for (const role of json.roles) {
        assert.strictEqual(role.default, role.id !== high && role.id !== low)
        assert.strictEqual(role.badge, false)
      }
    })
  )

  it.effect("are read by id; an unknown one is not found", () =>
    Effect.gen(function* () {
      for (const role of [admin, member, guestRole]) {
        const answer = yield* guest.get(`/roles/${role.id}`)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(answer.json, unedited(role))
      }
      for (const role_id of ["00000000000000000000", "x", "Admin", "漢", "role '"]) {
        const answer = yield* guest.get(`/roles/${encodeURIComponent(role_id)}`)
        assertProblem(answer, RoleNotFound, { role_id })
      }
    })
  )

  it.effect("are shown with everything that is stored of them", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      const id = yield* grant(vali, "CREATE_POST", "VIEW_ACCOUNTS")
      const sql = yield* SqlClient.SqlClient
      const meta = { icon: { path: ["a", 1, null], deep: { deeper: true } } }
      yield* sql`update roles set meta = ${JSON.stringify(meta)}::text::jsonb, colour = '' where id = ${id}`
      const { json } = yield* guest.get(`/roles/${id}`)
      assert.deepStrictEqual(json.meta, meta)
      assert.strictEqual(json.colour, "")
      assert.deepStrictEqual(json.permissions, ["CREATE_POST", "VIEW_ACCOUNTS"])

      yield* sql`update account_roles set badge = true where role_id = ${id}`
      const account = yield* vali.get("/accounts")
      assert.deepStrictEqual(account.json.roles, [{ ...json, badge: true }, held(member)])
      assert.deepStrictEqual((yield* vali.get(`/roles/${id}`)).json, {
        ...json,
        badge: false,
        default: false
      })
    })
  )

  it.effect("are shown with their new name from the next request on", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update roles set name = 'Citizen', colour = 'teal' where id = ${member.id}`
      const [role] = (yield* hel.get("/accounts")).json.roles
      assert.strictEqual(role.name, "Citizen")
      assert.strictEqual(role.colour, "teal")
      assert.strictEqual(role.default, true)
    })
  )
})

layer(People.layer)("permissions", (it) => {
  it.effect("of a role count from the request after it was granted until it is revoked", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const look = loki.get(`/accounts/${freya.id}`)
      assertProblem(yield* look, Forbidden, { permission: "VIEW_ACCOUNTS" })
      const role = yield* grant(loki, "VIEW_ACCOUNTS")
      assert.strictEqual((yield* look).status, 200)
      yield* setPermissions(role, ["MANAGE_POSTS"])
      assertProblem(yield* look, Forbidden, { permission: "VIEW_ACCOUNTS" })
      yield* setPermissions(member.id, [...member.permissions, "VIEW_ACCOUNTS"])
      assert.strictEqual((yield* look).status, 200)
      yield* setPermissions(member.id, member.permissions)
      yield* setPermissions(role, ["ADMINISTRATOR"])
      assert.strictEqual((yield* look).status, 200)
      assert.strictEqual((yield* loki.get("/accounts")).json.admin, false)
      yield* sql`delete from roles where id = ${role}`
      assertProblem(yield* look, Forbidden, { permission: "VIEW_ACCOUNTS" })
      yield* sql`update accounts set admin = true where id = ${loki.id}`
      assert.strictEqual((yield* look).status, 200)
      assert.deepStrictEqual((yield* loki.get("/accounts")).json.roles, [held(admin), held(member)])
      yield* sql`update accounts set admin = false where id = ${loki.id}`
      assertProblem(yield* look, Forbidden, { permission: "VIEW_ACCOUNTS" })
    })
  )

  it.effect("of several roles add up", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      const hel = yield* signUp("hel")
      yield* grant(vali, "MANAGE_POSTS")
      yield* grant(vali)
      yield* grant(vali, "VIEW_ACCOUNTS", "MANAGE_POSTS")
      assert.strictEqual((yield* vali.get(`/accounts/${hel.id}`)).status, 200)
    })
  )

  it.effect("of guests are those of their role, from the next request on", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* guest.get("/threads")).status, 200)
      yield* setPermissions(guestRole.id, [])
      assertProblem(yield* guest.get("/threads"), Forbidden, {
        permission: "READ_PUBLISHED_THREADS"
      })
      yield* setPermissions(guestRole.id, ["ADMINISTRATOR"])
      assert.strictEqual((yield* guest.get("/threads")).status, 200)
      assertProblem(yield* guest.get("/accounts"), Unauthenticated)
      yield* setPermissions(guestRole.id, guestRole.permissions)
    })
  )
})

layer(People.layer)("the access check", (it) => {
  it.effect("refuses guests before anything else is checked", () =>
    Effect.gen(function* () {
      const closed = operations.filter(({ access }) => isForAccounts(access))
      assert.isAbove(closed.length, 0)
      for (const operation of closed) assertProblem(yield* misuse(guest, operation), Unauthenticated)
    })
  )

  it.effect("names the missing permission before anything else is checked", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* setPermissions(member.id, [])
      yield* setPermissions(guestRole.id, [])
      let refused = 0
      for (const operation of operations) {
        const { access } = operation
        if (access._tag === "Public" || access._tag === "SignedIn") continue
        const { permission } = access
        assertProblem(yield* misuse(freya, operation), Forbidden, { permission })
        if (access._tag !== "Member") {
          assertProblem(yield* misuse(guest, operation), Forbidden, { permission })
        }
        refused += 1
      }
      assert.isAbove(refused, 0)
    })
  )

  it.effect("lets administrators pass to the later checks", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("mimir")
      yield* grant(odin, "ADMINISTRATOR")
      const byCookie = operations.filter(
        ({ access }) => access._tag !== "Public" && takenBy(access) !== "token"
      )
      for (const operation of byCookie) {
        const { status } = yield* misuse(odin, operation)
        assert.notInclude([401, 403, 500], status, `${operation.method} ${operation.path}`)
      }
    })
  )
})
