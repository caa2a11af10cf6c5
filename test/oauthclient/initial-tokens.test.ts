/** Tokens with which programs register clients, as administrators make and revoke them. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  daysMax,
  type ExpiryRule,
  InitialAccessTokenExpiryInvalid,
  InitialAccessTokenNotFound,
  initialTokensMax,
  keptDays,
  TooManyInitialAccessTokens
} from "../../src/domain/oauthclient/InitialAccessToken.ts"
import { InitialAccessTokens } from "../../src/domain/oauthclient/InitialAccessTokens.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { Permission } from "../../src/domain/shared/Permission.ts"
import { idsOf, ok } from "../support/answers.ts"
import { initialTokens as path } from "../support/clients.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, type Person, personByKey } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const listOf = (person: Person) => Effect.map(person.get(path), (answer) => ok(answer).initial_access_tokens)

const inDays = (days: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.add(now, { days })))

layer(People.layer)("an initial access token", (it) => {
  it.effect("is shown once, and kept as its hash", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const expires_at = yield* inDays(daysMax)
      const answer = yield* odin.post(path, {
        expires_at,
        max_registrations: 1000,
        name: "  Build machines "
      })
      const { token, ...shown } = ok(answer)
      assert.deepStrictEqual(shown, {
        id: shown.id,
        createdAt: shown.createdAt,
        name: "Build machines",
        created_by: odin.id,
        expires_at,
        max_registrations: 1000,
        registrations_used: 0
      })
      assert.match(token, /^fiat_[A-Za-z0-9_-]{43}$/)
      assert.include(answer.headers["cache-control"], "no-store")
      assert.deepStrictEqual((yield* listOf(odin))[0], shown)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly token_hash: Uint8Array; readonly row: string }>`
        select token_hash, to_jsonb(initial_access_tokens)::text as row from initial_access_tokens`
      assert.isTrue(
        rows.some((row) => createHash("sha256").update(token).digest().equals(Buffer.from(row.token_hash)))
      )
      const events = yield* sql<{
        readonly payload: string
      }>`select to_jsonb(event_log)::text as payload from event_log`
      for (const text of [...rows.map(({ row }) => row), ...events.map(({ payload }) => payload)]) {
        assert.notInclude(text, token)
      }
    })
  )

  it.effect("registers one client if nothing else is said, and has no name if it got none", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const now = yield* DateTime.now
      const token = ok(yield* odin.post(path, { expires_in: 60 }))
      assert.strictEqual(token.max_registrations, 1)
      assert.strictEqual(token.expires_at, DateTime.formatIso(DateTime.add(now, { seconds: 60 })))
      for (const key of ["name", "revoked_at", "last_used_at"]) assert.notProperty(token, key)
    })
  )

  it.effect("has an end within a year, and a cap", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = yield* listOf(odin)
      const invalid: ReadonlyArray<readonly [body: object, place: string]> = [
        [{ expires_at: "tomorrow" }, "expires_at"],
        [{ expires_at: null }, "expires_at"],
        [{ expires_in: 0 }, "expires_in"],
        [{ expires_in: 1.5 }, "expires_in"],
        [{ expires_in: "60" }, "expires_in"],
        [{ expires_in: daysMax * 86_400 + 1 }, "expires_in"],
        [{ expires_in: 60, max_registrations: 0 }, "max_registrations"],
        [{ expires_in: 60, max_registrations: 1001 }, "max_registrations"],
        [{ expires_in: 60, max_registrations: 1.5 }, "max_registrations"],
        [{ expires_in: 60, max_registrations: "1" }, "max_registrations"],
        [{ expires_in: 60, name: " " }, "name"],
        [{ expires_in: 60, name: "x".repeat(101) }, "name"]
      ]
      for (const [body, place] of invalid) assertInvalid(yield* odin.post(path, body), `body ${place}`)
      const refused: ReadonlyArray<readonly [body: object, rule: ExpiryRule]> = [
        [{}, "missing"],
        [{ max_registrations: 1 }, "missing"],
        [{ expires_at: yield* inDays(1), expires_in: 60 }, "twice"],
        [{ expires_at: yield* inDays(0) }, "past"],
        [{ expires_at: "1970-01-01T00:00:00Z" }, "past"],
        [{ expires_at: yield* inDays(daysMax + 1) }, "too-late"]
      ]
      for (const [body, rule] of refused) {
        assertProblem(yield* odin.post(path, body), InitialAccessTokenExpiryInvalid, { rule })
      }
      assert.deepStrictEqual(yield* listOf(odin), before)
    })
  )

  it.effect("is for administrators, with any credential", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      yield* grant(odin, permission)
      yield* grant(tyr, ...Permission.literals.filter((one) => one !== "ADMINISTRATOR"))
      const { id } = ok(yield* odin.post(path, { expires_in: 60 }))
      const calls = (person: Person) => [
        person.get(path),
        person.post(path, { expires_in: 60 }),
        person.delete(`${path}/${id}`)
      ]
      for (const call of calls(guest)) assertProblem(yield* call, Unauthenticated)
      for (const call of calls(tyr)) assertProblem(yield* call, Forbidden, { permission: "ADMINISTRATOR" })
      for (const call of calls(yield* withKey(odin))) assert.isBelow((yield* call).status, 300)
    })
  )

  it.effect("stops working at once when it is revoked, which is once, and stays listed", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id } = ok(yield* odin.post(path, { expires_in: 60 }))
      const find = Effect.map(listOf(odin), (listed) =>
        listed.find((one: { readonly id: string }) => one.id === id)
      )
      assert.strictEqual((yield* odin.delete(`${path}/${id}`)).status, 204)
      const { revoked_at } = yield* find
      assert.isString(revoked_at)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* odin.delete(`${path}/${id}`)).status, 204)
      assert.strictEqual((yield* find).revoked_at, revoked_at)
      const sql = yield* SqlClient.SqlClient
      const entries = yield* sql`select from audit_events where type = 'oauth_initial_access_token_revoked'
        and to_jsonb(audit_events)::text like ${`%${id}%`}`
      assert.strictEqual(entries.length, 1)
      for (const initial_access_token_id of [nobody, "x", `${id}x`]) {
        const answer = yield* odin.delete(`${path}/${initial_access_token_id}`)
        assertProblem(answer, InitialAccessTokenNotFound, { initial_access_token_id })
      }
    })
  )

  it.effect("says nothing of who a caller is", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { token } = ok(yield* odin.post(path, { expires_in: 60 }))
      const program = personByKey(token, "")
      assertProblem(yield* program.get("/accounts"), Unauthenticated)
      assert.notProperty(ok(yield* program.get("/session")), "account")
    })
  )
})

layer(People.layer)("initial access tokens", (it) => {
  it.effect("are as many as there may be, however many are created at the same time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into initial_access_tokens (id, place, token_hash, created_by, max_registrations, created_at,
          expires_at)
        select lpad(n::text, 19, '0') || 'g', n, sha256(n::text::bytea), ${odin.id}, 2, now, now + interval '100 days'
        from generate_series(1, ${initialTokensMax - 3}::int) n,
          (values (${new Date(DateTime.toEpochMillis(yield* DateTime.now))}::timestamptz)) at (now)`
      const create = odin.post(path, { expires_in: 3600 })
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => create),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 3)
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        assertProblem(answer, TooManyInitialAccessTokens, { maximum: initialTokensMax })
      }
      const listed = idsOf(yield* listOf(odin))
      assert.strictEqual(listed.length, initialTokensMax)
      assert.deepStrictEqual(listed, listed.toSorted().toReversed())
      // What does not work any more makes room: what was revoked, what is used up, and what has expired.
      yield* odin.delete(`${path}/0000000000000000007g`)
      ok(yield* create)
      assert.notInclude(idsOf(yield* listOf(odin)), "0000000000000000007g")
      assertProblem(yield* create, TooManyInitialAccessTokens)
      yield* sql`update initial_access_tokens set registrations_used = 2, last_used_at = created_at
        where id = '0000000000000000008g'`
      ok(yield* create)
      assert.notInclude(idsOf(yield* listOf(odin)), "0000000000000000008g")
      assertProblem(yield* create, TooManyInitialAccessTokens)
      yield* TestClock.adjust("1 hour")
      ok(yield* create)
    })
  )
})

layer(People.layer)("old initial access tokens", (it) => {
  it.effect("are forgotten after a while, and others are not", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { forgetOld } = yield* InitialAccessTokens
      const sql = yield* SqlClient.SqlClient
      const [over, revoked, used, working] = [
        ok(yield* odin.post(path, { expires_in: 1 })),
        ok(yield* odin.post(path, { expires_at: yield* inDays(200) })),
        ok(yield* odin.post(path, { expires_at: yield* inDays(200) })),
        ok(yield* odin.post(path, { expires_at: yield* inDays(200), max_registrations: 2 }))
      ]
      yield* odin.delete(`${path}/${revoked.id}`)
      yield* sql`update initial_access_tokens set registrations_used = 1, last_used_at = created_at
        where id in (${used.id}, ${working.id})`
      yield* TestClock.adjust(`${keptDays} days`)
      yield* forgetOld
      assert.sameMembers([...idsOf(yield* listOf(odin))], [over.id, working.id])
      yield* TestClock.adjust("1 second")
      yield* forgetOld
      assert.sameMembers([...idsOf(yield* listOf(odin))], [working.id])
    })
  )
})
