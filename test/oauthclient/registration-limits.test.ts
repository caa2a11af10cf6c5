/** How many clients register by themselves, and what becomes of those that nobody uses. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  openRegistrationsMax,
  registrationsPerDay,
  TooManyRegistrations,
  tokenRegistrationsMax,
  unusedDays
} from "../../src/domain/oauthclient/Registration.ts"
import { Registrations } from "../../src/domain/oauthclient/Registrations.ts"
import { type Answer, ok } from "../support/answers.ts"
import {
  administrative,
  createOwn,
  initialToken,
  register,
  registrations,
  saidBy
} from "../support/clients.ts"
import * as People from "../support/people.ts"
import { Cast, call } from "../support/people.ts"
import { assertOAuthError, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const open = People.withCast(TestApp.layerWhere({ oauthRegistrationOpen: true }))

const created = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status === 201)

/** Fills the database with clients that registered, of which the first is the oldest. */
const fill = (count: number, letBy: "token" | "openness", age: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = new Date(DateTime.toEpochMillis(yield* DateTime.now))
    yield* sql`insert into oauth_clients (id, origin, client_id, name, type, scope_policy, redirect_uris,
        allowed_scopes, allowed_grants, pkce_required, created_at, updated_at)
      select lpad(n::text, 19, '0') || 'g', 'registered', 'many-' || n, 'Many', 'public', 'explicit', '{}', '{}', '{}',
        true, at, at
      from generate_series(1, ${count}::int) n,
        lateral (select ${now}::timestamptz - ${age}::interval + n * interval '1 millisecond' as at) time`
    yield* sql`insert into oauth_registrations (id, let_by, token_hash, token_endpoint_auth_method, details)
      select id, ${letBy}, sha256(id::bytea), 'none', '{}' from oauth_clients where origin = 'registered'`
  })

const idsNow = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{
      readonly client_id: string
    }>`select client_id from oauth_clients where origin = 'registered' order by 1`,
    (rows) => rows.map(({ client_id }) => client_id)
  )
)

layer(open)("a network", (it) => {
  it.effect("registers as many clients in a day as it may, however many at the same time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => register()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(created(answers).length, registrationsPerDay)
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        assertProblem(answer, TooManyRegistrations, { retry_after: 86_400 })
        assert.strictEqual(answer.headers["retry-after"], "86400")
      }
      assert.strictEqual((yield* idsNow).length, registrationsPerDay)
      // What was refused before counts for nothing, and neither does what a token lets register.
      assertOAuthError(yield* register(undefined, saidBy({ scope: "nonsense" })), "invalid_client_metadata")
      assert.strictEqual((yield* register(yield* initialToken(odin))).status, 201)
      // Deleting clients makes no room.
      const [{ client_id, registration_access_token }] = created(answers).map(({ json }) => json)
      const headers = { authorization: `Bearer ${registration_access_token}` }
      assert.strictEqual((yield* call("DELETE", `${registrations}/${client_id}`, { headers })).status, 204)
      yield* TestClock.adjust("86399 seconds")
      assertProblem(yield* register(), TooManyRegistrations, { retry_after: 1 })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* register()).status, 201)
    })
  )
})

layer(open)("an instance that is open to all", (it) => {
  it.effect("has as many clients as it may, and those that nobody uses make room after an hour", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* fill(openRegistrationsMax - 3, "openness", "59 minutes")
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, () => register()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(created(answers).length, 3)
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        assertOAuthError(answer, "temporarily_unavailable")
      }
      // Tokens and administrators have room of their own.
      const invited = (yield* register(yield* initialToken(odin))).json.client_id
      yield* createOwn(odin)
      // It makes no room for others, though it is the oldest.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update oauth_clients set created_at = created_at - interval '2 hours' where client_id = ${invited}`
      yield* TestClock.adjust("61 seconds")
      const before = yield* idsNow
      assert.include(before, "many-1")
      const { client_id } = (yield* register()).json
      assert.deepStrictEqual(
        yield* idsNow,
        [...before.filter((id) => id !== "many-1"), client_id].toSorted((one, other) =>
          one < other ? -1 : 1
        )
      )
      assert.strictEqual(ok(yield* odin.get(administrative)).clients.length, openRegistrationsMax + 4)
    })
  )
})

layer(People.layer)("tokens together", (it) => {
  it.effect("register as many clients as there may be", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* fill(tokenRegistrationsMax, "token", "59 minutes")
      const token = yield* initialToken(odin)
      assertOAuthError(yield* register(token), "temporarily_unavailable")
      // What is refused uses nothing up.
      const [listed] = ok(yield* odin.get("/admin/oauth/initial-access-tokens")).initial_access_tokens
      assert.strictEqual(listed.registrations_used, 0)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* register(token)).status, 201)
      assert.notInclude(yield* idsNow, "many-1")
    })
  )
})

layer(open)("registered clients that nobody uses", (it) => {
  it.effect("are deleted after a week, and others are not", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { clean } = yield* Registrations
      const { client } = yield* createOwn(odin)
      const first = (yield* register()).json
      const [granted, asked] = [(yield* register()).json, (yield* register()).json]
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into oauth_grants (id, client_id, account_id, kind, created_at, ended_at)
        select id, id, ${odin.id}, 'consent', created_at, created_at from oauth_clients
        where client_id = ${granted.client_id}`
      yield* sql`insert into oauth_authorisations (id, request_hash, client_id, account_id, redirect_uri, scope,
          code_challenge, created_at, expires_at)
        select id, sha256(id::bytea), id, ${odin.id}, 'https://tides.example/callback', '', repeat('x', 43), created_at,
          created_at
        from oauth_clients where client_id = ${asked.client_id}`
      yield* TestClock.adjust("1 hour")
      const second = (yield* register()).json
      yield* TestClock.adjust(`${unusedDays * 24 - 1} hours`)
      yield* clean
      assert.sameMembers(
        [...(yield* idsNow)],
        [second, granted, asked].map(({ client_id }) => client_id)
      )
      assert.lengthOf(yield* sql`select from oauth_registrations`, 3)
      assert.lengthOf(yield* sql`select from oauth_registration_counts`, 0)
      const { clients } = ok(yield* odin.get(administrative))
      assert.isTrue(clients.some((one: { readonly id: string }) => one.id === client.id))
      assert.isFalse(clients.some((one: { readonly client_id: string }) => one.client_id === first.client_id))
    })
  )
})
