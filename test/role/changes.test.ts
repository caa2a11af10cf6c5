/** Creating, changing, deleting and resetting roles. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RoleNotFound, rolesMax } from "../../src/domain/role/Role.ts"
import {
  AdminPermissionsFixed,
  GuestPermissionsLimited,
  RoleNameTaken,
  RoleNotChanged,
  RolesFull
} from "../../src/domain/role/RoleRefusal.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { idsOf, ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, type Person } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { admin, guestRole, member, unedited } from "../support/roles.ts"

const create = (by: Person, name: string, more: Readonly<Record<string, unknown>> = {}) =>
  by.post("/roles", { name, colour: "", permissions: [], ...more })

const roles = Effect.map(guest.get("/roles"), (answer) => ok(answer).roles)

const eventsOf = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly event: unknown }>`select event from event_log
      where event ->> '_tag' like 'Role%' order by id`,
    (rows) => rows.map(({ event }) => event)
  )
)

layer(People.layer)("a new role", (it) => {
  it.effect("is as it was sent, above all other custom roles", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const meta = { icon: { path: ["a", 1, null], deep: { deeper: true } }, "": [] }
      const first = ok(
        yield* create(odin, "  Editor\t", {
          colour: " #4682b4 ",
          permissions: ["MANAGE_POSTS", "CREATE_POST"],
          meta
        })
      )
      const { createdAt, id, ...rest } = first
      assert.deepStrictEqual(rest, {
        updatedAt: createdAt,
        misc: {},
        name: "Editor",
        colour: "#4682b4",
        permissions: ["MANAGE_POSTS", "CREATE_POST"],
        meta,
        badge: false,
        default: false
      })
      assert.deepStrictEqual(ok(yield* guest.get(`/roles/${id}`)), first)
      const second = ok(yield* create(odin, "Badge"))
      assert.deepStrictEqual([second.colour, second.permissions], ["", []])
      assert.notProperty(second, "meta")
      const listed = idsOf(yield* roles)
      assert.deepStrictEqual(listed.slice(0, 3), [admin.id, second.id, id])
      assert.deepStrictEqual(listed.slice(-2), [member.id, guestRole.id])
    })
  )

  it.effect("has each permission once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const permissions = ["MANAGE_POSTS", "CREATE_POST", "MANAGE_POSTS"]
      const role = ok(yield* create(odin, "Twice", { permissions }))
      assert.deepStrictEqual(role.permissions, ["MANAGE_POSTS", "CREATE_POST"])
    })
  )

  it.effect("has a name of its own", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      ok(yield* create(odin, "Unique"))
      for (const name of ["Unique", " Unique ", "Member", "Admin", "Guest"]) {
        assertProblem(yield* create(odin, name), RoleNameTaken, { name: name.trim() })
      }
    })
  )

  it.effect("is refused if it is not as described, and nothing is kept", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = yield* roles
      for (const [more, place] of [
        [{ name: undefined }, "body name"],
        [{ name: " \u200b " }, "body name"],
        [{ colour: undefined }, "body colour"],
        [{ colour: "reddish" }, "body colour"],
        [{ colour: "red; background: url(//elsewhere.example)" }, "body colour"],
        [{ colour: `#4682b4${" ".repeat(400)}` }, "body colour"],
        [{ permissions: undefined }, "body permissions"],
        [{ permissions: ["EVERYTHING"] }, "body permissions.0"],
        [{ permissions: ["manage_posts"] }, "body permissions.0"],
        [{ permissions: Array(101).fill("CREATE_POST") }, "body permissions"],
        [{ meta: [] }, "body meta"],
        [{ meta: { x: "y".repeat(2_048) } }, "body meta"]
      ] as const) {
        assertInvalid(yield* create(odin, "Odd", more), place)
      }
      assert.deepStrictEqual(yield* roles, before)
    })
  )
})

layer(People.layer)("a change of a role", (it) => {
  it.effect("has a colour of CSS or none", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* create(odin, "Coloured", { colour: "oklch(70% 0.1 157)" }))
      for (const colour of ["reddish", "#12345", "rgb(1 2)", "red;", null, "x".repeat(401)]) {
        assertInvalid(yield* odin.patch(`/roles/${id}`, { colour }), "body colour")
      }
      assert.strictEqual(ok(yield* odin.patch(`/roles/${id}`, { colour: " Teal " })).colour, "Teal")
      assert.strictEqual(ok(yield* odin.patch(`/roles/${id}`, { colour: " " })).colour, "")
    })
  )

  it.effect("changes what it names, replaces permissions and meta, and moves the time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const meta = { a: 1, b: 2 }
      const before = ok(
        yield* create(odin, "Before", { permissions: ["MANAGE_POSTS", "MANAGE_REPORTS"], meta })
      )
      const path = `/roles/${before.id}`
      let expected = before
      for (const change of [
        { name: "After" },
        { colour: "teal" },
        { permissions: ["MANAGE_REPORTS", "CREATE_POST"] },
        { meta: { c: [{}] } },
        { permissions: [], colour: "" }
      ]) {
        const changed = ok(yield* odin.patch(path, change))
        assert.isAbove(Date.parse(changed.updatedAt), Date.parse(expected.updatedAt))
        expected = { ...expected, ...change, updatedAt: changed.updatedAt }
        assert.deepStrictEqual(changed, expected)
        assert.deepStrictEqual(ok(yield* guest.get(path)), expected)
      }
      const { meta: _, updatedAt: __, ...bare } = expected
      expected = ok(yield* odin.patch(path, { meta: {} }))
      assert.deepStrictEqual({ ...bare, updatedAt: expected.updatedAt }, expected)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(ok(yield* odin.patch(path, {})), expected)
      assert.deepStrictEqual(ok(yield* guest.get(path)), expected)
      assert.strictEqual(
        ok(yield* odin.patch(path, { colour: "blue" })).updatedAt,
        "1970-01-01T01:00:00.000Z"
      )
    })
  )

  it.effect("leaves names unique, and may repeat its own", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const one = ok(yield* create(odin, "One"))
      ok(yield* create(odin, "Two"))
      for (const name of ["Two", "Member"]) {
        assertProblem(yield* odin.patch(`/roles/${one.id}`, { name, colour: "red" }), RoleNameTaken, { name })
      }
      assert.deepStrictEqual(ok(yield* guest.get(`/roles/${one.id}`)), one)
      assert.strictEqual(ok(yield* odin.patch(`/roles/${one.id}`, { name: "One" })).name, "One")
    })
  )

  it.effect("of no role is not found, and neither is one of another form", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const role_id of [nobody, "x", "orders", `${member.id}x`, "role '"]) {
        const path = `/roles/${encodeURIComponent(role_id)}`
        assertProblem(yield* odin.patch(path, { name: "x" }), RoleNotFound, { role_id })
        assertProblem(yield* odin.delete(path), RoleNotFound, { role_id })
      }
    })
  )

  it.effect("is shown beside the names of those who hold it at once", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const role = ok(yield* create(odin, "Shown"))
      ok(yield* odin.put(`/accounts/freya/roles/${role.id}`))
      const { json: thread } = yield* freya.post("/threads", { title: "x", visibility: "published" })
      for (const change of [{ name: "Seen", colour: "red" }, { meta: { a: 1 } }]) {
        ok(yield* odin.patch(`/roles/${role.id}`, change))
        const { roles } = ok(yield* guest.get(`/threads/${thread.id}`)).author
        assert.deepInclude(roles[0], { id: role.id, ...change })
      }
      ok(yield* odin.patch(`/roles/${member.id}`, { name: "Citizen", colour: "blue" }))
      const { roles } = ok(yield* guest.get(`/threads/${thread.id}`)).author
      assert.deepInclude(roles[1], { id: member.id, name: "Citizen", colour: "blue" })
    })
  )
})

layer(People.layer)("the built-in roles", (it) => {
  const getRole = (id: string) => Effect.map(guest.get(`/roles/${id}`), ok)

  it.effect("of members may be changed in every way, and be emptied", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const permissions = [...member.permissions, "VIEW_ACCOUNTS"]
      ok(yield* odin.patch(`/roles/${member.id}`, { permissions }))
      assert.deepStrictEqual((yield* getRole(member.id)).permissions, permissions)
      assert.strictEqual((yield* freya.get(`/accounts/${(yield* Cast).loki.id}`)).status, 200)
      ok(yield* odin.patch(`/roles/${member.id}`, { permissions: [] }))
      assertProblem(yield* freya.get("/threads"), Forbidden, { permission: "READ_PUBLISHED_THREADS" })
      assert.strictEqual((yield* guest.get("/threads")).status, 200)
      assert.strictEqual((yield* odin.delete(`/roles/${member.id}`)).status, 200)
      assert.strictEqual((yield* freya.get("/threads")).status, 200)
    })
  )

  it.effect("of guests hold permissions to read and no others", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const path = `/roles/${guestRole.id}`
      for (const permission of Permission.literals) {
        const permissions = ["LIST_PROFILES", permission, permission]
        const answer = yield* odin.patch(path, { permissions, name: "Visitor" })
        if (guestRole.permissions.includes(permission)) assert.strictEqual(answer.status, 200, permission)
        else assertProblem(answer, GuestPermissionsLimited, { permissions: [permission] })
      }
      ok(yield* odin.patch(path, { permissions: ["READ_PROFILE"] }))
      assertProblem(yield* guest.get("/threads"), Forbidden)
      ok(yield* odin.patch(path, { permissions: guestRole.permissions }))
      assert.strictEqual((yield* guest.get("/threads")).status, 200)
    })
  )

  it.effect("of administrators keep their permission, whatever is sent", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const path = `/roles/${admin.id}`
      for (const permissions of [[], ["ADMINISTRATOR"], ["MANAGE_POSTS"], Permission.literals]) {
        assertProblem(yield* odin.patch(path, { name: "Boss", permissions }), AdminPermissionsFixed)
      }
      assert.deepStrictEqual(yield* getRole(admin.id), unedited(admin))
      const changes = { name: "Boss", colour: "gold", meta: { crown: true } }
      assert.deepInclude(ok(yield* odin.patch(path, changes)), { ...changes, permissions: ["ADMINISTRATOR"] })
      const sql = yield* SqlClient.SqlClient
      const refused = yield* Effect.flip(sql`update roles set permissions = '{}' where id = ${admin.id}`)
      assert.strictEqual(refused.reason._tag, "ConstraintError")
    })
  )

  it.effect("are reset by deleting them, as often as they are changed", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* TestClock.adjust("1 day")
      for (const role of [admin, member, guestRole]) {
        const path = `/roles/${role.id}`
        // They were changed by other tests.
        yield* odin.delete(path)
        for (const change of [{ meta: { a: 1 } }, { name: `New ${role.name}`, colour: "" }]) {
          assertProblem(yield* odin.delete(path), RoleNotChanged, { role_id: role.id })
          ok(yield* odin.patch(path, change))
          const reset = yield* odin.delete(path)
          assert.strictEqual(reset.status, 200)
          assert.strictEqual(reset.text, "")
          assert.strictEqual(reset.headers["content-length"], "0")
          assert.deepStrictEqual(yield* getRole(role.id), unedited(role))
        }
      }
    })
  )

  it.effect("are not reset while another role has their first name", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const path = `/roles/${member.id}`
      const renamed = ok(yield* odin.patch(path, { name: "Citizen" }))
      const { id } = ok(yield* create(odin, "Member"))
      assertProblem(yield* odin.delete(path), RoleNameTaken, { name: "Member" })
      assert.deepStrictEqual(yield* getRole(member.id), renamed)
      assert.strictEqual((yield* odin.delete(`/roles/${id}`)).status, 200)
      assert.strictEqual((yield* odin.delete(path)).status, 200)
    })
  )
})

layer(People.layer)("deleting a custom role", (it) => {
  it.effect("takes it from all who hold it, at once", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const { id } = ok(yield* create(odin, "Doomed", { permissions: ["VIEW_ACCOUNTS"] }))
      for (const { id: account } of [freya, loki]) ok(yield* odin.put(`/accounts/${account}/roles/${id}`))
      ok(yield* freya.put(`/accounts/freya/roles/${id}/badge`))
      assert.strictEqual((yield* freya.get(`/accounts/${loki.id}`)).status, 200)
      const deleted = yield* odin.delete(`/roles/${id}`)
      assert.strictEqual(deleted.status, 200)
      assert.strictEqual(deleted.text, "")
      for (const [person, other] of [
        [freya, loki],
        [loki, freya]
      ] as const) {
        assertProblem(yield* person.get(`/accounts/${other.id}`), Forbidden, { permission: "VIEW_ACCOUNTS" })
        assert.deepStrictEqual(idsOf(ok(yield* person.get("/accounts")).roles), [member.id])
      }
      assert.notInclude(idsOf(yield* roles), id)
      assertProblem(yield* odin.delete(`/roles/${id}`), RoleNotFound, { role_id: id })
    })
  )

  it.effect("is recorded, as is every other change and nothing that failed", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const before = (yield* eventsOf).length
      const { id } = ok(yield* create(odin, "Recorded"))
      yield* create(odin, "Recorded")
      ok(yield* odin.patch(`/roles/${id}`, { colour: "red" }))
      ok(yield* odin.patch(`/roles/${id}`, {}))
      const ids = idsOf(yield* roles).slice(1, -2)
      ok(yield* odin.patch("/roles/order", { role_ids: ids }))
      yield* odin.patch("/roles/order", { role_ids: [] })
      const path = `/accounts/loki/roles/${id}`
      ok(yield* odin.put(path))
      yield* odin.put(path)
      yield* freya.delete(path)
      ok(yield* odin.delete(path))
      ok(yield* odin.delete(path))
      yield* odin.delete(`/roles/${id}`)
      yield* odin.delete(`/roles/${id}`)
      assert.deepStrictEqual<ReadonlyArray<unknown>>((yield* eventsOf).slice(before), [
        { _tag: "RoleCreated", id },
        { _tag: "RoleUpdated", id },
        { _tag: "RolesReordered", ids },
        { _tag: "RoleAssigned", id, account_id: loki.id },
        { _tag: "RoleUnassigned", id, account_id: loki.id },
        { _tag: "RoleDeleted", id }
      ])
    })
  )
})

layer(People.layer)("the number of roles", (it) => {
  it.effect("is limited, also in the database, and a deleted role makes room", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const { id } = ok(yield* create(odin, "Low"))
      yield* sql`insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
        select 'fill' || lpad(n::text, 15, '0') || '0', 'epoch', 'epoch', 'fill ' || n, '', '{}', n
        from generate_series(3, ${rolesMax - 1}) n`
      const last = ok(yield* create(odin, "Last"))
      assert.strictEqual((yield* roles).length, rolesMax + 3)
      assertProblem(yield* create(odin, "More"), RolesFull, { maximum: rolesMax })
      const refused = yield* Effect.flip(sql`insert into roles
        (id, created_at, updated_at, name, colour, permissions, rank)
        values ('x', 'epoch', 'epoch', 'x', '', '{}', ${rolesMax + 1})`)
      assert.strictEqual(refused.reason._tag, "ConstraintError")
      assert.strictEqual((yield* odin.delete(`/roles/${id}`)).status, 200)
      const next = ok(yield* create(odin, "More"))
      assert.deepStrictEqual(idsOf(yield* roles).slice(0, 3), [admin.id, next.id, last.id])
      assertProblem(yield* create(odin, "Yet more"), RolesFull)
    })
  )
})
