/** Access keys of one's own. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccessKeyNotFound, keysMax, TooManyAccessKeys } from "../../src/domain/accesskey/AccessKey.ts"
import {
  AccountSuspended,
  CookieRequired,
  Forbidden,
  Unauthenticated
} from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { createKey, permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, type Person, personByKey, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const signUpWithKeys = Effect.fnUntraced(function* (handle: string) {
  const person = yield* signUp(handle)
  yield* grant(person, permission)
  return person
})

const keysOf = (person: Person) => Effect.map(person.get("/auth/access-keys"), (answer) => ok(answer).keys)

/** Everything in the database, as text. */
const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`
  const rows = yield* Effect.forEach(tables, ({ name }) => sql`select t::text from ${sql(name)} t`)
  return JSON.stringify(rows)
})

layer(People.layer)("a new access key", (it) => {
  it.effect("is shown with its secret once, and as it is afterwards", () =>
    Effect.gen(function* () {
      const vali = yield* signUpWithKeys("vali")
      const issued = ok(
        yield* vali.post("/auth/access-keys", {
          name: "  Backup ",
          expires_at: "2027-01-01T01:00:00.123456+01:00"
        })
      )
      const { id, secret, ...rest } = issued
      assert.deepStrictEqual(rest, {
        createdAt: "1970-01-01T00:00:00.000Z",
        updatedAt: "1970-01-01T00:00:00.000Z",
        misc: {},
        name: "Backup",
        enabled: true,
        expires_at: "2027-01-01T00:00:00.123Z"
      })
      assert.match(secret, /^fpk_[A-Za-z0-9_-]{43}$/)
      const plain = yield* createKey(vali)
      assert.notProperty(plain, "expires_at")
      assert.notStrictEqual(plain.secret, secret)
      const { secret: _, ...known } = plain
      assert.deepStrictEqual(yield* keysOf(vali), [known, { id, ...rest }])
    })
  )

  it.effect("is stored as its SHA-256 only", () =>
    Effect.gen(function* () {
      const hel = yield* signUpWithKeys("hel")
      const { secret } = yield* createKey(hel)
      const all = yield* contents
      assert.include(all, createHash("sha256").update(secret).digest("hex"))
      assert.notInclude(all, secret)
      assert.notInclude(all, secret.slice("fpk_".length))
    })
  )

  it.effect("needs a name, and an instant to expire at if it has one", () =>
    Effect.gen(function* () {
      const tyr = yield* signUpWithKeys("tyr-2")
      for (const [body, place] of [
        [{}, "body name"],
        [{ name: " " }, "body name"],
        [{ name: "x".repeat(101) }, "body name"],
        [{ name: "x", expires_at: "tomorrow" }, "body expires_at"],
        [{ name: "x", expires_at: "2026-01-01" }, "body expires_at"],
        [{ name: "x", expires_at: "2026-02-30T00:00:00Z" }, "body expires_at"],
        [{ name: "x", expires_at: 1 }, "body expires_at"],
        [{ name: "x", expires_at: null }, "body expires_at"]
      ] as const) {
        assertInvalid(yield* tyr.post("/auth/access-keys", body), place)
      }
      assert.deepStrictEqual(yield* keysOf(tyr), [])
    })
  )

  it.effect("is for accounts that may use keys, by cookie", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      const body = { name: "Key" }
      assertProblem(yield* guest.post("/auth/access-keys", body), Unauthenticated)
      assertProblem(yield* loki.post("/auth/access-keys", body), Forbidden, { permission })
      yield* grant(freya, permission)
      const program = yield* withKey(freya)
      assertProblem(yield* program.post("/auth/access-keys", body), CookieRequired)
      const idle = yield* signUpWithKeys("idle")
      yield* suspend(idle)
      assertProblem(yield* idle.post("/auth/access-keys", body), AccountSuspended)
      assert.strictEqual((yield* keysOf(freya)).length, 1)
    })
  )

  it.effect("is recorded, as is its end", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const magni = yield* signUpWithKeys("magni")
      const [one, two] = [yield* createKey(magni), yield* createKey(magni)]
      for (const _ of [1, 2]) yield* magni.delete(`/auth/access-keys/${one.id}`)
      for (const _ of [1, 2]) yield* odin.delete(`/admin/access-keys/${two.id}`)
      const sql = yield* SqlClient.SqlClient
      const events =
        yield* sql`select actor_id, event from event_log where event ->> 'account_id' = ${magni.id}
        order by id`
      const event = (actor: Person, _tag: string, id: string) => ({
        actor_id: actor.id,
        event: { _tag, id, account_id: magni.id }
      })
      assert.deepStrictEqual(events, [
        event(magni, "AccessKeyCreated", one.id),
        event(magni, "AccessKeyCreated", two.id),
        event(magni, "AccessKeyRevoked", one.id),
        event(odin, "AccessKeyRevoked", two.id)
      ])
    })
  )
})

layer(People.layer)("an access key", (it) => {
  it.effect("acts for its account, with its permissions at every moment", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* grant(freya, permission)
      const program = yield* withKey(freya)
      const own = ok(yield* program.get("/accounts"))
      assert.deepStrictEqual(own, ok(yield* freya.get("/accounts")))
      assert.deepStrictEqual(own.auth_services, ["password", "access_key"])
      const thread = ok(yield* program.post("/threads", { title: "By a program", visibility: "published" }))
      assert.strictEqual(thread.author.id, freya.id)
      assert.strictEqual((yield* program.get(`/threads/${thread.id}`)).status, 200)
      const answer = yield* program.post(`/threads/${thread.id}/replies`, { body: "and this" })
      assert.strictEqual(ok(answer).author.id, freya.id)
      assertProblem(yield* program.get(`/accounts/${loki.id}`), Forbidden, { permission: "VIEW_ACCOUNTS" })
      yield* grant(freya, "VIEW_ACCOUNTS")
      assert.strictEqual((yield* program.get(`/accounts/${loki.id}`)).status, 200)
    })
  )

  it.effect("works without the permission to use keys, which it needs to list and revoke them", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const vali = yield* signUp("vali")
      const role = yield* grant(vali, permission)
      const { id, secret } = yield* createKey(vali)
      const program = personByKey(secret, vali.id)
      assert.deepStrictEqual(idsOf(yield* keysOf(program)), [id])
      ok(yield* odin.delete(`/accounts/vali/roles/${role}`))
      assert.strictEqual((yield* program.get("/accounts")).status, 200)
      for (const person of [vali, program]) {
        assertProblem(yield* person.get("/auth/access-keys"), Forbidden, { permission })
        assertProblem(yield* person.delete(`/auth/access-keys/${id}`), Forbidden, { permission })
      }
    })
  )

  it.effect("expires at its instant, by the clock of the service", () =>
    Effect.gen(function* () {
      const hel = yield* signUpWithKeys("hel")
      const start = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
      const program = yield* withKey(hel, { expires_at: new Date(start + 60_000).toISOString() })
      yield* TestClock.adjust("59999 millis")
      assert.strictEqual((yield* program.get("/accounts")).status, 200)
      yield* TestClock.adjust("1 millis")
      assertProblem(yield* program.get("/accounts"), Unauthenticated)
      for (const expires_at of ["1969-12-31T23:59:59Z", new Date(start).toISOString()]) {
        const late = yield* withKey(hel, { expires_at })
        assertProblem(yield* late.get("/accounts"), Unauthenticated)
        assert.strictEqual((yield* late.get("/threads")).status, 200)
      }
      for (const { enabled } of yield* keysOf(hel)) assert.strictEqual(enabled, true)
    })
  )

  it.effect("that is revoked stays listed and does nothing, however often it is revoked", () =>
    Effect.gen(function* () {
      const magni = yield* signUpWithKeys("magni")
      const [one, two] = [yield* createKey(magni), yield* createKey(magni)]
      yield* TestClock.adjust("1 hour")
      for (const _ of [1, 2]) {
        const revoked = yield* magni.delete(`/auth/access-keys/${one.id}`)
        assert.strictEqual(revoked.status, 204)
        assert.strictEqual(revoked.text, "")
        const [second, first] = yield* keysOf(magni)
        assert.deepInclude(first, { id: one.id, enabled: false, createdAt: one.createdAt })
        assert.strictEqual(Date.parse(first.updatedAt) - Date.parse(one.createdAt), 3_600_000)
        assert.deepInclude(second, { id: two.id, enabled: true })
      }
      assertProblem(yield* personByKey(one.secret, "").get("/accounts"), Unauthenticated)
      assert.strictEqual((yield* personByKey(two.secret, "").get("/accounts")).status, 200)
      yield* magni.delete(`/auth/access-keys/${two.id}`)
      assert.deepStrictEqual(ok(yield* magni.get("/accounts")).auth_services, ["password"])
    })
  )

  it.effect("of another, and one that there is not, is not found", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [owner, other] = [yield* signUpWithKeys("owner"), yield* signUpWithKeys("other")]
      const { id, secret } = yield* createKey(owner)
      for (const person of [other, odin]) {
        for (const access_key_id of [id, nobody, "x", `${id}x`]) {
          const answer = yield* person.delete(`/auth/access-keys/${access_key_id}`)
          assertProblem(answer, AccessKeyNotFound, { access_key_id })
        }
      }
      assert.deepStrictEqual(yield* keysOf(other), [])
      assert.strictEqual((yield* personByKey(secret, "").get("/accounts")).status, 200)
    })
  )
})

layer(People.layer)("the number of access keys", (it) => {
  it.effect("of an account is limited, and keys that no longer work make room, the first of them first", () =>
    Effect.gen(function* () {
      const vali = yield* signUpWithKeys("vali")
      const keys: Array<{ readonly id: string; readonly secret: string }> = []
      for (let n = 0; n < keysMax; n++) keys.push(yield* createKey(vali, { name: `Key ${n}` }))
      const refused = yield* vali.post("/auth/access-keys", { name: "More" })
      assertProblem(refused, TooManyAccessKeys, { maximum: keysMax })
      assert.strictEqual((yield* keysOf(vali)).length, keysMax)
      const revoke = (n: number) => vali.delete(`/auth/access-keys/${keys[n]?.id}`)
      yield* revoke(7)
      yield* TestClock.adjust("1 minute")
      yield* revoke(3)
      const next = yield* createKey(vali)
      const listed = idsOf(yield* keysOf(vali))
      assert.strictEqual(listed.length, keysMax)
      assert.strictEqual(listed[0], next.id)
      assert.notInclude(listed, keys[7]?.id)
      assert.include(listed, keys[3]?.id)
      // A key that has expired makes room as well.
      yield* createKey(vali, { expires_at: "1969-01-01T00:00:00Z" })
      const last = yield* createKey(vali)
      assert.strictEqual(idsOf(yield* keysOf(vali))[0], last.id)
      assertProblem(yield* vali.post("/auth/access-keys", { name: "More" }), TooManyAccessKeys)
      for (const n of [0, 1, 2, 4, 49]) {
        assert.strictEqual(
          (yield* personByKey(keys[n]?.secret ?? "", "").get("/accounts")).status,
          200,
          `${n}`
        )
      }
    })
  )

  it.effect("holds when many are created at once, and in the database", () =>
    Effect.gen(function* () {
      const hel = yield* signUpWithKeys("hel")
      const calls = Array.from({ length: keysMax + 10 }, () =>
        hel.post("/auth/access-keys", { name: "At once" })
      )
      const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, keysMax)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, TooManyAccessKeys)
      }
      const sql = yield* SqlClient.SqlClient
      for (const place of [0, 1, keysMax, keysMax + 1]) {
        const error = yield* Effect.flip(sql`insert into access_keys
            (id, account_id, place, token_hash, name, created_at, updated_at)
          values ('x', ${hel.id}, ${place}, decode(repeat('00', 32), 'hex'), 'x', now(), now())`)
        assert.include(["ConstraintError", "UniqueViolation"], error.reason._tag)
      }
    })
  )
})
