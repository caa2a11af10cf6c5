/** How programs register as clients of OAuth by themselves. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OAuthErrorCode } from "../../src/domain/shared/OAuthError.ts"
import { standardScopes } from "../../src/domain/vocabulary/Scope.ts"
import { type Answer, ok } from "../support/answers.ts"
import {
  administrative,
  initialToken,
  initialTokens,
  register,
  registrations,
  saidBy
} from "../support/clients.ts"
import * as People from "../support/people.ts"
import { Cast, call } from "../support/people.ts"
import { assertOAuthError } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

/** Asserts a refusal of who registers, with its challenge. */
const assertUnauthorized = (answer: Answer, challenge: string) => {
  assertOAuthError(answer, "invalid_token")
  assert.strictEqual(answer.status, 401)
  assert.strictEqual(answer.headers["www-authenticate"], challenge)
}

const invalidToken = 'Bearer error="invalid_token"'

const registered = (answer: Answer) => {
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.json
}

const clientsNow = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly id: string }>`select id from oauth_clients where origin = 'registered'`
)

layer(People.layer)("a client that registers with a token", (it) => {
  it.effect("is told its id, its token and what it is", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const token = yield* initialToken(odin)
      const before = yield* DateTime.now
      const answer = yield* register(token)
      const { client_id, registration_access_token, registration_client_uri, ...said } = registered(answer)
      assert.deepStrictEqual(said, {
        client_id_issued_at: Math.floor(DateTime.toEpochMillis(before) / 1000),
        client_secret_expires_at: 0,
        client_name: "Tide tables",
        redirect_uris: ["https://tides.example/callback"],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        scope: standardScopes.join(" "),
        token_endpoint_auth_method: "none"
      })
      assert.match(client_id, /^foc_[A-Za-z0-9_-]{43}$/)
      assert.match(registration_access_token, /^frat_[A-Za-z0-9_-]{43}$/)
      assert.strictEqual(registration_client_uri, `http://forum.test/api/oauth/register/${client_id}`)
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.strictEqual(answer.headers.pragma, "no-cache")
      const { clients } = ok(yield* odin.get(administrative))
      const shown = clients.find((one: { readonly client_id: string }) => one.client_id === client_id)
      assert.notProperty(shown, "account_id")
      assert.strictEqual(shown.scope_policy, "explicit")
      assert.strictEqual(shown.type, "public")
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly token_hash: Uint8Array; readonly row: string }>`
        select token_hash, to_jsonb(r)::text as row from oauth_registrations r`
      const [row] = rows
      const hash = createHash("sha256").update(registration_access_token).digest()
      assert.isTrue(hash.equals(Buffer.from(row?.token_hash ?? [])))
      assert.notInclude(row?.row, registration_access_token)
    })
  )

  it.effect("has a secret unless it says otherwise, which is kept as its hash", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const token = yield* initialToken(odin)
      const sql = yield* SqlClient.SqlClient
      for (const [sent, told] of [
        [undefined, "client_secret_basic"],
        ["client_secret_basic", "client_secret_basic"],
        ["client_secret_post", "client_secret_post"]
      ] as const) {
        const client = registered(yield* register(token, saidBy({ token_endpoint_auth_method: sent })))
        assert.match(client.client_secret, /^fos_[A-Za-z0-9_-]{43}$/)
        assert.strictEqual(client.client_secret_expires_at, 0)
        assert.strictEqual(client.token_endpoint_auth_method, told)
        const [row] = yield* sql<{ readonly secret_hash: string; readonly type: string }>`
          select secret_hash, type from oauth_clients where client_id = ${client.client_id}`
        assert.match(row?.secret_hash ?? "", /^\$argon2id\$/)
        assert.strictEqual(row?.type, "confidential")
      }
    })
  )

  it.effect("is what it says of itself, each once", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const token = yield* initialToken(odin)
      const said = {
        client_name: "Harbour",
        redirect_uris: ["https://harbour.example/a", "http://127.0.0.1:4000/b", "http://[::1]/c"],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        scope: "openid ADMINISTRATOR CREATE_POST",
        token_endpoint_auth_method: "none",
        application_type: "native",
        logo_uri: "https://harbour.example/logo.png",
        client_uri: "https://harbour.example/",
        tos_uri: "https://harbour.example/terms",
        policy_uri: "https://harbour.example/policy"
      }
      const twice = {
        ...said,
        redirect_uris: [...said.redirect_uris, ...said.redirect_uris],
        grant_types: ["authorization_code", "authorization_code"],
        response_types: ["code", "code"],
        software_id: "unknown fields",
        jwks: { keys: [] },
        contacts: ["a@harbour.example"]
      }
      for (const body of [said, twice]) {
        const {
          client_id: _,
          client_id_issued_at: __,
          client_secret_expires_at: ___,
          registration_access_token: ____,
          registration_client_uri: _____,
          ...rest
        } = registered(yield* register(token, body))
        assert.deepStrictEqual(rest, said)
      }
      // Without a name it is called by its id, and an empty text says nothing.
      const bare = registered(
        yield* register(token, saidBy({ client_name: undefined, scope: "", application_type: "" }))
      )
      for (const key of ["client_name", "application_type", "logo_uri"]) assert.notProperty(bare, key)
      assert.strictEqual(bare.scope, standardScopes.join(" "))
      const { clients } = ok(yield* odin.get(administrative))
      assert.isTrue(clients.some((one: { readonly name: string }) => one.name === bare.client_id))
    })
  )

  it.effect("is refused with the code of what is wrong, and uses nothing up", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const token = yield* initialToken(odin, { max_registrations: 1 })
      const before = yield* clientsNow
      const metadata = "invalid_client_metadata"
      const redirect = "invalid_redirect_uri"
      const refused: ReadonlyArray<readonly [more: object, code: OAuthErrorCode]> = [
        [{ token_endpoint_auth_method: "private_key_jwt" }, metadata],
        [{ token_endpoint_auth_method: "" }, metadata],
        [{ grant_types: ["client_credentials"] }, metadata],
        [{ grant_types: ["authorization_code", "implicit"] }, metadata],
        [{ grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] }, metadata],
        [{ grant_types: ["refresh_token"] }, metadata],
        [{ grant_types: ["refresh_token"], response_types: [] }, metadata],
        [{ grant_types: [] }, metadata],
        [{ response_types: ["token"] }, metadata],
        [{ response_types: ["code", "id_token"] }, metadata],
        [{ response_types: [] }, metadata],
        [{ redirect_uris: undefined }, redirect],
        [{ redirect_uris: [] }, redirect],
        [{ redirect_uris: "https://tides.example/" }, redirect],
        [{ redirect_uris: ["/callback"] }, redirect],
        [{ redirect_uris: ["https:cb"] }, redirect],
        [{ redirect_uris: ["https://*.tides.example/"] }, redirect],
        [{ redirect_uris: ["https://tides.example/*"] }, redirect],
        [{ redirect_uris: ["https://tides.example/#x"] }, redirect],
        [{ redirect_uris: ["http://tides.example/"] }, redirect],
        [{ redirect_uris: ["http://127.0.0.1.tides.example/"] }, redirect],
        [{ redirect_uris: ["myapp://callback"] }, redirect],
        [{ redirect_uris: ["javascript:alert(1)"] }, redirect],
        [{ redirect_uris: ["https://user@tides.example/"] }, redirect],
        [{ redirect_uris: ["https://tides.example/a", "ftp://tides.example/"] }, redirect],
        [{ redirect_uris: Array.from({ length: 11 }, (_, n) => `https://tides.example/${n}`) }, redirect],
        [
          {
            redirect_uris: Array.from(
              { length: 2 },
              (_, n) => `https://tides.example/${n}${"x".repeat(1000)}`
            )
          },
          redirect
        ],
        [{ scope: "openid nonsense" }, metadata],
        [{ scope: "x".repeat(1025) }, metadata],
        [{ scope: ["openid"] }, metadata],
        [{ client_name: " " }, metadata],
        [{ client_name: "x".repeat(101) }, metadata],
        [{ client_name: 1 }, metadata],
        [{ application_type: "x".repeat(101) }, metadata],
        ...["logo_uri", "client_uri", "tos_uri", "policy_uri"].flatMap((field) =>
          [
            "http://tides.example/",
            "/logo.png",
            "https:",
            "javascript:alert(1)",
            "https://tides.example/ x",
            ""
          ].map((address) => [{ [field]: address }, metadata] as const)
        )
      ]
      for (const [more, code] of refused) {
        const answer = yield* register(token, saidBy({ ...more }))
        assert.strictEqual(assertOAuthError(answer, code).length > 0, true, JSON.stringify(more))
        assert.strictEqual(answer.status, 400)
      }
      for (const body of ["{", "[]", '"x"', "null", "1"]) {
        const answer = yield* call("POST", registrations, {
          body,
          headers: { authorization: `Bearer ${token}`, ...People.json }
        })
        assertOAuthError(answer, "invalid_request")
        assert.strictEqual(answer.status, 400)
      }
      for (const [type, body] of [
        ["application/x-www-form-urlencoded", "client_name=Tides"],
        ["text/xml", "<x/>"]
      ] as const) {
        const headers = { authorization: `Bearer ${token}`, "content-type": type }
        assertOAuthError(yield* call("POST", registrations, { body, headers }), "invalid_request")
      }
      assert.deepStrictEqual(yield* clientsNow, before)
      const { initial_access_tokens } = ok(yield* odin.get(initialTokens))
      assert.strictEqual(initial_access_tokens[0].registrations_used, 0)
      registered(yield* register(token))
      const used = ok(yield* odin.get(initialTokens)).initial_access_tokens[0]
      assert.strictEqual(used.registrations_used, 1)
      assert.isString(used.last_used_at)
      assertUnauthorized(yield* register(token), invalidToken)
    })
  )
})

layer(People.layer)("a token with which a program registers", (it) => {
  it.effect("has to be one that works", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const before = yield* clientsNow
      assertUnauthorized(yield* register(), "Bearer")
      const working = yield* initialToken(odin)
      const over = yield* initialToken(odin, { expires_in: 60 })
      yield* TestClock.adjust("60 seconds")
      const { id, token: revoked } = ok(yield* odin.post(initialTokens, { expires_in: 3600 }))
      yield* odin.delete(`${initialTokens}/${id}`)
      const tokens = [
        over,
        revoked,
        "x",
        "fiat_",
        `fiat_${"A".repeat(43)}`,
        `${working}x`,
        working.slice(5),
        odin.cookie
      ]
      for (const token of tokens) assertUnauthorized(yield* register(token), invalidToken)
      for (const authorization of ["", "Bearer", "Basic Zm9vOmJhcg==", working, `Bearer ${working} x`]) {
        const answer = yield* call("POST", registrations, { body: saidBy(), headers: { authorization } })
        assertUnauthorized(answer, invalidToken)
      }
      // A session is no token, also not that of an administrator.
      for (const { headers } of [freya, odin]) {
        assertUnauthorized(yield* call("POST", registrations, { body: saidBy(), headers }), "Bearer")
      }
      assert.deepStrictEqual(yield* clientsNow, before)
      const authorization = `bearer ${working}`
      registered(yield* call("POST", registrations, { body: saidBy(), headers: { authorization } }))
    })
  )

  it.effect("registers as many clients as it may, however many ask at the same time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const before = (yield* clientsNow).length
      const token = yield* initialToken(odin, { max_registrations: 7 })
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => register(token)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 7)
      for (const answer of answers.filter(({ status }) => status !== 201))
        assertUnauthorized(answer, invalidToken)
      assert.strictEqual((yield* clientsNow).length, before + 7)
      assert.strictEqual(ok(yield* odin.get(initialTokens)).initial_access_tokens[0].registrations_used, 7)
    })
  )

  it.effect("leaves its trace in the log of events, and none in that of the audit", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { id, token } = ok(yield* odin.post(initialTokens, { expires_in: 3600 }))
      const sql = yield* SqlClient.SqlClient
      const entries = sql<{ readonly count: string }>`select count(*) from audit_events`
      const before = yield* entries
      const { client_id } = registered(yield* register(token))
      const events = yield* sql<{ readonly text: string }>`select to_jsonb(e)::text as text from event_log e`
      assert.isTrue(events.some(({ text }) => text.includes(client_id) && text.includes(id)))
      assert.isFalse(events.some(({ text }) => text.includes(token)))
      assert.deepStrictEqual(yield* entries, before)
    })
  )
})

layer(People.withCast(TestApp.layerWhere({ oauthRegistrationOpen: true })))("an open instance", (it) => {
  it.effect("registers any program, and refuses a token that does not work all the same", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      registered(yield* register())
      const { client_id, ...said } = registered(
        yield* call("POST", registrations, { body: saidBy(), headers: odin.headers })
      )
      assert.notProperty(said, "account_id")
      const { clients } = ok(yield* odin.get(administrative))
      const shown = clients.find((one: { readonly client_id: string }) => one.client_id === client_id)
      assert.notProperty(shown, "account_id")
      assertUnauthorized(yield* register("x"), invalidToken)
      registered(yield* register(yield* initialToken(odin)))
    })
  )
})

layer(People.withCast(TestApp.layerWhere({ oauthEnabled: false, oauthRegistrationOpen: true })))(
  "an instance without OAuth",
  (it) => {
    it.effect("registers nobody, and lets administrators make tokens", () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const token = yield* initialToken(odin)
        for (const one of [undefined, token, "x"]) {
          const answer = yield* register(one)
          assertOAuthError(answer, "temporarily_unavailable")
          assert.strictEqual(answer.status, 400)
        }
        const path = `${registrations}/foc_x`
        for (const method of ["GET", "DELETE"] as const) {
          assertOAuthError(yield* call(method, path), "temporarily_unavailable")
        }
        const body = saidBy({ client_id: "foc_x" })
        assertOAuthError(yield* call("PUT", path, { body }), "temporarily_unavailable")
      })
    )
  }
)
