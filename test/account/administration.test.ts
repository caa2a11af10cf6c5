/** Accounts that staff make and change. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  AccountNotFound,
  AdministratorProtected,
  HandleInvalid,
  HandleTaken,
  SignatureTooLong
} from "../../src/domain/account/Account.ts"
import { EmailAddressTaken } from "../../src/domain/account/Email.ts"
import { LastAdministrator, OwnAdminRole } from "../../src/domain/role/RoleRefusal.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { MarkupTooComplex } from "../../src/domain/text/TextProblem.ts"
import { ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, personByKey, personIn, signIn, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { admin } from "../support/roles.ts"
import { assertUnchangedBy } from "./assertUnchangedBy.ts"

const accounts = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ readonly n: number }>`select count(*)::int as n from accounts`, ([row]) => row?.n)
)

const eventsOn = (id: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly event: { readonly _tag: string }; readonly actor_id: string }>`
        select event, actor_id from event_log
        where event ->> 'id' = ${id} or event ->> 'account_id' = ${id} order by id`,
      (rows) => rows.map(({ actor_id, event }) => [event._tag, actor_id])
    )
  )

layer(People.layer)("an account that staff make", (it) => {
  it.effect("has what was sent, no way to sign in, and needs no registration", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_ACCOUNTS", "USE_PERSONAL_ACCESS_KEYS")
      ok(yield* odin.patch("/admin", { registration_mode: "disabled" }))
      const key = ok(yield* tyr.post("/auth/access-keys", { name: "program" }))
      const program = personByKey(key.secret, tyr.id)
      const answer = yield* program.post("/accounts", {
        handle: "HeimDall",
        name: "Heimdall",
        email_address: "Guard <Horn@Bifrost.example>",
        bio: "hears grass",
        signature: "<p>Who goes there?</p>",
        interests: ["bridges"],
        links: [{ text: "Bridge", url: "https://bifrost.example/" }],
        meta: { a: { b: [1] } },
        verified_status: "manual",
        admin: false,
        kind: "bot",
        roles: [admin.id]
      })
      const made = ok(answer)
      assert.strictEqual(answer.headers["cache-control"], "private, no-cache")
      assert.strictEqual(made.createdAt, made.updatedAt)
      const { createdAt: _, email_addresses, id, joined: __, roles, updatedAt: ___, ...rest } = made
      assert.deepStrictEqual(rest, {
        misc: {},
        handle: "heimdall",
        name: "Heimdall",
        bio: "<body>hears grass</body>",
        signature: "<body><p>Who goes there?</p></body>",
        links: [{ text: "Bridge", url: "https://bifrost.example/" }],
        meta: { a: { b: [1] } },
        verified_status: "manual",
        kind: "human",
        auth_services: [],
        notifications: 0,
        admin: false
      })
      assert.deepStrictEqual(
        email_addresses.map(({ email_address, verified }: Record<string, unknown>) => [
          email_address,
          verified
        ]),
        [["horn@bifrost.example", false]]
      )
      assert.strictEqual(roles.length, 1)
      assert.deepStrictEqual(ok(yield* odin.get(`/accounts/${id}`)), made)
      assert.strictEqual(ok(yield* odin.get("/profiles/heimdall")).interests[0].name, "bridges")
      assert.deepStrictEqual(yield* eventsOn(id), [["AccountCreated", tyr.id]])
      assert.strictEqual((yield* signIn("heimdall")).status, 400)
      assert.isUndefined(answer.headers["set-cookie"])
    })
  )

  it.effect("is called by its handle unless a name is given", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { bio, name, verified_status } = ok(yield* odin.post("/accounts", { handle: "Νίκος" }))
      assert.deepStrictEqual([name, bio, verified_status], ["νίκος", "<body></body>", "none"])
    })
  )

  it.effect("is made by those who manage accounts, an administrator by administrators", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_ACCOUNTS")
      const before = yield* accounts
      assertProblem(yield* guest.post("/accounts", { handle: 1 }), Unauthenticated)
      assertProblem(yield* freya.post("/accounts", { handle: 1 }), Forbidden, {
        permission: "MANAGE_ACCOUNTS"
      })
      assertProblem(yield* tyr.post("/accounts", { handle: "hod", admin: true }), Forbidden, {
        permission: "ADMINISTRATOR"
      })
      assert.strictEqual(yield* accounts, before)
      const hod = ok(yield* odin.post("/accounts", { handle: "hod", admin: true }))
      assert.deepStrictEqual([hod.admin, hod.roles[0].id], [true, admin.id])
      assert.deepStrictEqual(yield* eventsOn(hod.id), [
        ["AccountCreated", odin.id],
        ["RoleAssigned", odin.id]
      ])
    })
  )

  it.effect("is not made at all if anything of it is refused", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      ok(yield* odin.post("/accounts", { handle: "first", email_address: "one@asgard.example" }))
      const before = [yield* accounts, yield* sql`select count(*) from event_log`]
      const refused = (body: object) => odin.post("/accounts", body)
      assertProblem(yield* refused({ handle: "FREYA" }), HandleTaken, { handle: "freya" })
      assertProblem(
        yield* refused({ handle: "second", email_address: "ONE@asgard.example" }),
        EmailAddressTaken,
        {
          email_address: "one@asgard.example"
        }
      )
      assertProblem(
        yield* refused({ handle: "second", admin: true, email_address: "one@asgard.example" }),
        EmailAddressTaken
      )
      for (const [handle, rule] of [
        ["", "empty"],
        ["-x", "characters"],
        ["has space", "characters"],
        ["admin", "reserved"],
        ["x".repeat(31), "too_long"]
      ] as const) {
        assertProblem(yield* refused({ handle }), HandleInvalid, { handle, rule })
      }
      assertProblem(yield* refused({ handle: "second", signature: "x".repeat(501) }), SignatureTooLong)
      const { freya } = yield* Cast
      assertProblem(
        yield* odin.patch(`/accounts/${freya.id}`, { signature: "x".repeat(501) }),
        SignatureTooLong
      )
      assertProblem(yield* refused({ handle: "second", bio: "<b>".repeat(100_000) }), MarkupTooComplex)
      assertInvalid(yield* refused({}), "body handle")
      assertInvalid(yield* refused({ handle: "second", name: " " }), "body name")
      assertInvalid(yield* refused({ handle: "second", verified_status: "yes" }), "body verified_status")
      assertInvalid(yield* refused({ handle: "second", admin: "true" }), "body admin")
      for (const email_address of [
        "",
        "x",
        "@",
        "a@",
        "@b.example",
        "a b@c.example",
        `${"x".repeat(250)}@y.z`
      ]) {
        assertInvalid(yield* refused({ handle: "second", email_address }), "body email_address")
      }
      assert.deepStrictEqual([yield* accounts, yield* sql`select count(*) from event_log`], before)
      assert.strictEqual((yield* odin.get("/profiles/second")).status, 404)
    })
  )

  it.effect("is made once, however many ask for its handle or its email address at once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const statuses = (bodies: ReadonlyArray<object>) =>
        Effect.map(
          Effect.forEach(bodies, (body) => odin.post("/accounts", body), { concurrency: "unbounded" }),
          (answers) => answers.map(({ status }) => status).sort()
        )
      const numbers = Array.from({ length: 20 }, (_, n) => n)
      const one = [200, ...numbers.slice(1).map(() => 409)]
      const before = (yield* accounts) ?? 0
      assert.deepStrictEqual(yield* statuses(numbers.map(() => ({ handle: "wanted" }))), one)
      assert.deepStrictEqual(
        yield* statuses(numbers.map((n) => ({ handle: `mail${n}`, email_address: "wanted@asgard.example" }))),
        one
      )
      assert.strictEqual(yield* accounts, before + 2)
    })
  )
})

layer(People.layer)("an account that staff change", (it) => {
  it.effect("has what was sent, and the rest as before, with another tag", () =>
    Effect.gen(function* () {
      const { freya, loki, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_ACCOUNTS")
      const before = yield* freya.get("/accounts")
      const profile = yield* guest.get("/profiles/freya")
      yield* TestClock.adjust("1 minute")
      const changes = {
        handle: "Freyja",
        name: "Freyja",
        bio: "<p>Cats</p>",
        meta: { a: 1 },
        verified_status: "manual"
      }
      const answer = yield* tyr.patch(`/accounts/${freya.id}`, changes)
      assert.strictEqual(answer.headers["cache-control"], "private, no-cache")
      const changed = ok(answer)
      assert.deepStrictEqual(changed, {
        ...before.json,
        ...changes,
        handle: "freyja",
        bio: "<body><p>Cats</p></body>",
        updatedAt: changed.updatedAt
      })
      assert.notStrictEqual(changed.updatedAt, before.json.updatedAt)
      for (const [path, { headers }] of [
        ["/accounts", before],
        ["/profiles/freyja", profile]
      ] as const) {
        const again = yield* freya.get(path, { headers: { "if-none-match": headers.etag ?? "" } })
        assert.deepStrictEqual([again.status, again.json.name], [200, "Freyja"], path)
      }
      assert.strictEqual((yield* guest.get("/profiles/freya")).status, 404)
      assert.deepStrictEqual((yield* eventsOn(freya.id)).at(-1), ["AccountUpdated", tyr.id])
      const reset = ok(yield* tyr.patch(`/accounts/${freya.id}`, { verified_status: "none" }))
      assert.deepStrictEqual([reset.verified_status, reset.name], ["none", "Freyja"])
      assertProblem(yield* tyr.patch(`/accounts/${freya.id}`, { handle: "LOKI" }), HandleTaken, {
        handle: "loki"
      })
      ok(yield* tyr.patch(`/accounts/${loki.id}`, { handle: "loki" }))
      ok(yield* tyr.patch(`/accounts/${loki.id}`))
    })
  )

  it.effect("keeps what the request has no field for, whatever it sends", () =>
    Effect.gen(function* () {
      const { loki, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_ACCOUNTS")
      const before = ok(yield* loki.get("/accounts"))
      const changed = ok(
        yield* tyr.patch(`/accounts/${loki.id}`, {
          name: "Sly",
          kind: "bot",
          id: tyr.id,
          roles: [admin.id],
          permissions: ["ADMINISTRATOR"],
          email_address: "sly@asgard.example",
          email_addresses: [{ email_address: "sly@asgard.example", verified: true }],
          password: "chosen by somebody else",
          suspended: "2026-01-01T00:00:00Z",
          deletedAt: "2026-01-01T00:00:00Z",
          createdAt: "2026-01-01T00:00:00Z",
          invited_by: tyr.id
        })
      )
      assert.deepStrictEqual(changed, { ...before, name: "Sly", updatedAt: changed.updatedAt })
      ok(yield* signIn("loki"))
    })
  )

  it.effect("is one that the caller may change", () =>
    Effect.gen(function* () {
      const { freya, loki, odin, tyr } = yield* Cast
      yield* grant(tyr, "MANAGE_ACCOUNTS")
      const other = yield* signUp("other")
      yield* grant(other, "ADMINISTRATOR")
      const path = `/accounts/${freya.id}`
      yield* assertUnchangedBy(
        freya,
        Effect.gen(function* () {
          assertProblem(yield* guest.patch(path, { name: 1 }), Unauthenticated)
          assertProblem(yield* freya.patch(path, { name: "x" }), Forbidden, { permission: "MANAGE_ACCOUNTS" })
          for (const admin of [true, false]) {
            const answer = yield* tyr.patch(path, { admin, name: "x" })
            assertProblem(answer, Forbidden, { permission: "ADMINISTRATOR" })
          }
          assertInvalid(yield* tyr.patch(path, { admin: 1 }), "body admin")
          assertInvalid(
            yield* tyr.patch(path, { name: "", verified_status: 1 }),
            "body name",
            "body verified_status"
          )
          assertProblem(yield* tyr.patch(path, { handle: "x y" }), HandleInvalid)
        })
      )
      assertProblem(yield* tyr.patch(`/accounts/${nobody}`, {}), AccountNotFound, { account: nobody })
      assertInvalid(yield* tyr.patch("/accounts/nope", {}), "path account_id")
      for (const administrator of [odin, other]) {
        yield* assertUnchangedBy(
          administrator,
          Effect.map(tyr.patch(`/accounts/${administrator.id}`, { name: "x" }), (answer) =>
            assertProblem(answer, AdministratorProtected)
          )
        )
      }
      ok(yield* other.patch(`/accounts/${odin.id}`, { name: "All-father" }))
      ok(yield* tyr.patch(`/accounts/${loki.id}`, { name: "Sly" }))
      ok(yield* tyr.patch(`/accounts/${tyr.id}`, { name: "One hand" }))
    })
  )

  it.effect("becomes an administrator and stops being one by administrators, who keep one", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      assert.strictEqual(ok(yield* odin.patch(`/accounts/${freya.id}`, { admin: true })).admin, true)
      assert.strictEqual(ok(yield* freya.get("/admin/audit-events")).current_page, 1)
      assert.deepStrictEqual((yield* eventsOn(freya.id)).slice(-2), [
        ["AccountUpdated", odin.id],
        ["RoleAssigned", odin.id]
      ])
      // What is so already is no change, also of oneself.
      ok(yield* odin.patch(`/accounts/${odin.id}`, { admin: true, name: "Odin" }))
      const before = yield* eventsOn(freya.id)
      ok(yield* odin.patch(`/accounts/${freya.id}`, { admin: true }))
      assert.deepStrictEqual(yield* eventsOn(freya.id), before)
      assertProblem(yield* odin.patch(`/accounts/${odin.id}`, { admin: false, name: "x" }), OwnAdminRole)
      assert.strictEqual(ok(yield* odin.patch(`/accounts/${freya.id}`, { admin: false })).admin, false)
      assertProblem(yield* freya.get("/admin/audit-events"), Forbidden)
      yield* grant(loki, "ADMINISTRATOR")
      assertProblem(yield* loki.patch(`/accounts/${odin.id}`, { admin: false, name: "x" }), LastAdministrator)
      assertProblem(yield* loki.patch(`/accounts/${loki.id}`, { admin: true }), OwnAdminRole)
      assert.strictEqual(ok(yield* odin.get("/accounts")).name, "Odin")
    })
  )

  it.effect("is changed by nobody who has lost the right while waiting", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const second = personIn(yield* signUp("second").pipe(Effect.andThen(signIn("second"))))
      ok(yield* odin.patch(`/accounts/${second.id}`, { admin: true }))
      const answers = yield* Effect.all(
        [
          odin.patch(`/accounts/${second.id}`, { admin: false }),
          second.patch(`/accounts/${odin.id}`, { admin: false })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 403])
      const [winner, loser] = answers[0]?.status === 200 ? [odin, second] : [second, odin]
      assert.strictEqual(ok(yield* winner.get("/accounts")).admin, true)
      assertProblem(yield* loser.patch(`/accounts/${freya.id}`, { name: "x" }), Forbidden)
    })
  )

  it.effect(
    "is not one that has become an administrator's meanwhile, nor changed without the permission",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [keeper, vali] = [yield* signUp("keeper"), yield* signUp("vali")]
        const role = yield* grant(keeper, "MANAGE_ACCOUNTS")
        const waiting = (change: Effect.Effect<unknown, unknown>) =>
          Effect.flatMap(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`select lock_roles()`
                const asked = yield* Effect.forkChild(keeper.patch(`/accounts/${vali.id}`, { name: "x" }))
                yield* untilWaiting(1)
                yield* change
                return asked
              })
            ),
            Fiber.join
          )
        const { name } = ok(yield* vali.get("/accounts"))
        assertProblem(
          yield* waiting(sql`update accounts set admin = true where id = ${vali.id}`),
          AdministratorProtected
        )
        yield* sql`update accounts set admin = false where id = ${vali.id}`
        assertProblem(
          yield* waiting(sql`update roles set permissions = '{}' where id = ${role}`),
          Forbidden,
          {
            permission: "MANAGE_ACCOUNTS"
          }
        )
        assert.strictEqual(ok(yield* vali.get("/accounts")).name, name)
      })
  )
})
