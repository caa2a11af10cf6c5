/** What many do with roles at once. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { heldMax, rolesMax } from "../../src/domain/role/Role.ts"
import { RoleAlreadyHeld, RoleNameTaken, RolesFull } from "../../src/domain/role/RoleRefusal.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { SlowReads } from "../../src/persistence/shared/Connections.ts"
import { type Answer, idsOf, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, type Person, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { admin, guestRole, member } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"

const times = (count: number) => Array.from({ length: count }, (_, n) => n)

const atOnce = <A, E, R>(calls: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(calls, { concurrency: "unbounded" })

const create = (by: Person, name: string, ...permissions: ReadonlyArray<string>) =>
  by.post("/roles", { name, colour: "", permissions })

const idOf = (by: Person, name: string, ...permissions: ReadonlyArray<string>) =>
  Effect.map(create(by, name, ...permissions), (answer) => ok(answer).id as string)

const split = (answers: ReadonlyArray<Answer>) => ({
  done: answers.filter(({ status }) => status === 200),
  refused: answers.filter(({ status }) => status !== 200)
})

/** Custom roles whose ranks are not those from 1 on. */
const misplaced = SqlClient.SqlClient.use(
  (sql) => sql`select rank from (
      select rank, row_number() over (order by rank) as place from roles where not built_in
    ) r where rank <> place`
)

layer(People.layer)("parallel creations", (it) => {
  it.effect("of one name make one role", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { done, refused } = split(yield* atOnce(times(20).map(() => create(odin, "One"))))
      assert.strictEqual(done.length, 1)
      for (const answer of refused) assertProblem(answer, RoleNameTaken, { name: "One" })
    })
  )

  it.effect("never make more roles than there may be", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
        select 'fill' || lpad(n::text, 15, '0') || '0', 'epoch', 'epoch', 'fill ' || n, '', '{}', n
        from generate_series((select max(rank) + 1 from roles where not built_in), ${rolesMax - 10}) n`
      const { done, refused } = split(yield* atOnce(times(50).map((n) => create(odin, `New ${n}`))))
      assert.strictEqual(done.length, 10)
      for (const answer of refused) assertProblem(answer, RolesFull)
      assert.deepStrictEqual(yield* misplaced, [])
      yield* sql`delete from roles where id like 'fill%'`
    })
  )
})

layer(People.layer)("parallel assignments", (it) => {
  it.effect("of one role to one account assign it once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const role = yield* idOf(odin, "Once")
      const path = `/accounts/freya/roles/${role}`
      const { done, refused } = split(yield* atOnce(times(30).map(() => odin.put(path))))
      assert.strictEqual(done.length, 1)
      for (const answer of refused) assertProblem(answer, RoleAlreadyHeld)
      const removed = yield* atOnce(times(30).map(() => odin.delete(path)))
      for (const answer of removed) ok(answer)
      const events = yield* SqlClient.SqlClient.use(
        (sql) => sql`select from event_log where event ->> '_tag' in ('RoleAssigned', 'RoleUnassigned')`
      )
      assert.strictEqual(events.length, 2)
    })
  )

  it.effect("of many roles to one account never pass the limit", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const many = yield* signUp("many")
      const roles = yield* Effect.forEach(times(heldMax + 8), (n) => idOf(odin, `Many ${n}`))
      const { done, refused } = split(
        yield* atOnce(roles.map((role) => odin.put(`/accounts/many/roles/${role}`)))
      )
      assert.strictEqual(done.length, heldMax)
      for (const { status } of refused) assert.strictEqual(status, 409)
      assert.strictEqual(ok(yield* many.get("/accounts")).roles.length, heldMax + 1)
    })
  )
})

layer(People.layer)("the database", (it) => {
  it.effect("counts the roles of an account one assignment after the other", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < heldMax - 1; n++) yield* grant(freya)
      yield* sql`insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
        values ('x', 'epoch', 'epoch', 'x', '', '{}', 100), ('y', 'epoch', 'epoch', 'y', '', '{}', 101)`
      // A transaction has one connection to itself, and this another.
      const elsewhere = yield* SlowReads
      const assign = (client: SqlClient.SqlClient, role: string) =>
        client`insert into account_roles (account_id, role_id) values (${freya.id}, ${role})`
      const second = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* assign(sql, "x")
          const second = yield* Effect.forkChild(Effect.flip(assign(elsewhere, "y")))
          yield* untilWaiting(1)
          return second
        })
      )
      assert.strictEqual((yield* Fiber.join(second)).reason._tag, "ConstraintError")
    })
  )
})

layer(People.layer)("assignments, badges, orders, changes and deletions at once", (it) => {
  it.effect("never fail, and leave one badge at most, no gap, and nothing of what is gone", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      const roles = yield* Effect.forEach(times(6), (n) => idOf(odin, `Role ${n}`, "CREATE_POST"))
      const people = [
        [freya, "freya"],
        [loki, "loki"]
      ] as const
      const custom = Effect.map(guest.get("/roles"), (answer) => idsOf(ok(answer).roles).slice(1, -2))
      for (const round of times(4)) {
        const calls = roles.flatMap((role, n) =>
          people.flatMap(([person, handle]) => {
            const path = `/accounts/${handle}/roles/${role}`
            return [
              odin.put(path),
              person.put(`${path}/badge`),
              n % 2 === round % 2 ? odin.delete(path) : person.delete(`${path}/badge`)
            ]
          })
        )
        const others = [
          Effect.flatMap(custom, (ids) => odin.patch("/roles/order", { role_ids: ids.toReversed() })),
          odin.patch(`/roles/${roles[round]}`, { name: `Changed ${round}` }),
          odin.delete(`/roles/${roles[round]}`),
          create(odin, `Late ${round}`)
        ]
        const answers = yield* atOnce([...calls, ...others])
        for (const answer of answers) assert.isBelow(answer.status, 500, `${answer.request}: ${answer.text}`)
        assert.deepStrictEqual(yield* misplaced, [])
      }
      const badges =
        yield* sql`select account_id from account_roles where badge group by 1 having count(*) > 1`
      assert.deepStrictEqual(badges, [])
      const left = idsOf(ok(yield* guest.get("/roles")).roles)
      for (const role of roles.slice(0, 4)) assert.notInclude(left, role)
      assert.deepStrictEqual([left[0], ...left.slice(-2)], [admin.id, member.id, guestRole.id])
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("who may change roles", (it) => {
  it.effect("is decided when it is their turn: of two administrators who dismiss each other, one stays", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const sql = yield* SqlClient.SqlClient
      const dismiss = (handle: string) => `/accounts/${handle}/roles/${admin.id}`
      for (const _ of times(10)) {
        yield* sql`update accounts set admin = true where id in (${odin.id}, ${freya.id})`
        const { done, refused } = split(
          yield* atOnce([
            odin.delete(dismiss("freya")),
            Effect.provideService(freya.delete(dismiss("odin")), HttpClient.HttpClient, elsewhere)
          ])
        )
        assert.strictEqual(done.length, 1)
        for (const answer of refused) assertProblem(answer, Forbidden)
        assert.strictEqual((yield* sql`select id from accounts where admin`).length, 1)
      }
    })
  )

  it.effect("is not who lost the permission while waiting", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const manager = yield* signUp("manager")
      const own = yield* grant(manager, "MANAGE_ROLES", "VIEW_ACCOUNTS")
      for (const [left, permission] of [
        [["VIEW_ACCOUNTS"], "MANAGE_ROLES"],
        [["MANAGE_ROLES"], "VIEW_ACCOUNTS"]
      ] as const) {
        yield* sql`update roles set permissions = '{MANAGE_ROLES,VIEW_ACCOUNTS}' where id = ${own}`
        const asked = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select lock_roles()`
            const asked = yield* Effect.forkChild(create(manager, "Late", "VIEW_ACCOUNTS"))
            yield* untilWaiting(1)
            yield* sql`update roles set permissions = ${left}::text[] where id = ${own}`
            return asked
          })
        )
        assertProblem(yield* Fiber.join(asked), Forbidden, { permission })
      }
      const asked = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`update roles set permissions = '{MANAGE_ROLES,VIEW_ACCOUNTS}' where id = ${own}`
          yield* sql`select lock_roles()`
          const asked = yield* Effect.forkChild(create(manager, "Late"))
          yield* untilWaiting(1)
          yield* sql`update accounts set suspended_at = 'epoch' where id = ${manager.id}`
          return asked
        })
      )
      assertProblem(yield* Fiber.join(asked), Forbidden, { permission: "MANAGE_ROLES" })
    })
  )
})
