/** What registered clients do with their registration. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OAuthErrorCode } from "../../src/domain/shared/OAuthError.ts"
import { standardScopes } from "../../src/domain/vocabulary/Scope.ts"
import * as App from "../../src/layers/wiring/App.ts"
import { type Answer, ok } from "../support/answers.ts"
import {
  administrative,
  createOwn,
  initialToken,
  register,
  registrationOf,
  registrations,
  saidBy,
  secretHash
} from "../support/clients.ts"
import { fifty } from "../support/fifty.ts"
import * as People from "../support/people.ts"
import { Cast, call, personByKey } from "../support/people.ts"
import { assertOAuthError } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { granted } from "../support/tokens.ts"

const newClient = Effect.fnUntraced(function* (more: Readonly<Record<string, unknown>> = {}) {
  const { odin } = yield* Cast
  const answer = yield* register(yield* initialToken(odin), saidBy(more))
  assert.strictEqual(answer.status, 201, answer.text)
  const client: Answer["json"] = answer.json
  return client
})

const managing = ({ client_id, registration_access_token }: Answer["json"]) =>
  registrationOf(client_id, registration_access_token)

const assertRefused = (answer: Answer, challenge: string) => {
  assertOAuthError(answer, "invalid_token")
  assert.strictEqual(answer.status, 401)
  assert.strictEqual(answer.headers["www-authenticate"], challenge)
}

const invalidToken = 'Bearer error="invalid_token"'

const rowOf = (clientId: string) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ readonly type: string; readonly secret_hash: string | null }>`
        select type, secret_hash from oauth_clients where client_id = ${clientId}`,
      ([row]) => row
    )
  )

layer(People.layer)("a registered client", (it) => {
  it.effect("reads what is known of it, but for its secret", () =>
    Effect.gen(function* () {
      const { client_secret, ...client } = yield* newClient({
        token_endpoint_auth_method: "client_secret_post"
      })
      assert.isString(client_secret)
      const answer = yield* managing(client).get
      assert.deepStrictEqual(ok(answer), client)
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.strictEqual(answer.headers.pragma, "no-cache")
    })
  )

  it.effect("replaces what it said, and its token", () =>
    Effect.gen(function* () {
      const client = yield* newClient({ client_uri: "https://tides.example/", scope: "openid CREATE_POST" })
      const { client_id, registration_access_token: old } = client
      yield* TestClock.adjust("1 minute")
      const answer = yield* managing(client).put({
        client_id,
        redirect_uris: ["https://tides.example/other"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "none",
        logo_uri: "https://tides.example/logo.png"
      })
      const { registration_access_token, ...changed } = ok(answer)
      assert.deepStrictEqual(changed, {
        client_id,
        client_id_issued_at: client.client_id_issued_at,
        client_secret_expires_at: 0,
        registration_client_uri: client.registration_client_uri,
        redirect_uris: ["https://tides.example/other"],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        scope: standardScopes.join(" "),
        token_endpoint_auth_method: "none",
        logo_uri: "https://tides.example/logo.png"
      })
      assert.match(registration_access_token, /^frat_[A-Za-z0-9_-]{43}$/)
      assert.notStrictEqual(registration_access_token, old)
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assertRefused(yield* managing(client).get, invalidToken)
      const later = registrationOf(client_id, registration_access_token)
      assert.deepStrictEqual(ok(yield* later.get), { ...changed, registration_access_token })
    })
  )

  it.effect("keeps its secret, and has one as long as it needs one", () =>
    Effect.gen(function* () {
      const { client_secret, ...client } = yield* newClient({ token_endpoint_auth_method: undefined })
      const { client_id } = client
      const first = (yield* rowOf(client_id))?.secret_hash
      const withSecret = saidBy({ client_id, token_endpoint_auth_method: "client_secret_basic" })
      const same = ok(yield* managing(client).put({ ...withSecret, client_secret }))
      assert.notProperty(same, "client_secret")
      assert.strictEqual((yield* rowOf(client_id))?.secret_hash, first)
      for (const wrong of [`${client_secret}x`, "", "fos_x"]) {
        const answer = yield* managing(same).put({ ...withSecret, client_secret: wrong })
        assertOAuthError(answer, "invalid_client_metadata")
      }
      const open = ok(yield* managing(same).put(saidBy({ client_id })))
      assert.notProperty(open, "client_secret")
      assert.deepStrictEqual(yield* rowOf(client_id), { type: "public", secret_hash: null })
      const answer = yield* managing(open).put(saidBy({ client_id, client_secret }))
      assertOAuthError(answer, "invalid_client_metadata")
      const closed = ok(yield* managing(open).put(withSecret))
      assert.match(closed.client_secret, /^fos_[A-Za-z0-9_-]{43}$/)
      assert.notStrictEqual(closed.client_secret, client_secret)
      assert.strictEqual((yield* rowOf(client_id))?.type, "confidential")
    })
  )

  it.effect("is refused with the code of what is wrong, and stays as it is", () =>
    Effect.gen(function* () {
      const client = yield* newClient()
      const { client_id } = client
      const metadata = "invalid_client_metadata"
      const refused: ReadonlyArray<readonly [body: object, code: OAuthErrorCode]> = [
        [saidBy(), metadata],
        [saidBy({ client_id: "storyden-cli" }), metadata],
        [saidBy({ client_id: 1 }), metadata],
        [
          saidBy({ client_id, registration_access_token: client.registration_access_token }),
          "invalid_request"
        ],
        [saidBy({ client_id, registration_client_uri: client.registration_client_uri }), "invalid_request"],
        [saidBy({ client_id, client_secret_expires_at: 0 }), "invalid_request"],
        [saidBy({ client_id, client_id_issued_at: 0 }), "invalid_request"],
        [saidBy({ client_id, redirect_uris: undefined }), "invalid_redirect_uri"],
        [saidBy({ client_id, redirect_uris: ["http://tides.example/"] }), "invalid_redirect_uri"],
        [saidBy({ client_id, grant_types: ["client_credentials"] }), metadata],
        [saidBy({ client_id, scope: "nonsense" }), metadata],
        [saidBy({ client_id, logo_uri: "http://tides.example/" }), metadata]
      ]
      for (const [body, code] of refused) {
        const answer = yield* managing(client).put(body)
        assertOAuthError(answer, code)
        assert.strictEqual(answer.status, 400)
      }
      const headers = { authorization: `Bearer ${client.registration_access_token}`, ...People.json }
      const broken = yield* call("PUT", `${registrations}/${client_id}`, { body: "{", headers })
      assertOAuthError(broken, "invalid_request")
      assert.deepStrictEqual(ok(yield* managing(client).get), client)
    })
  )

  it.effect("deletes itself, once, with all that it was granted", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const client = yield* newClient()
      const { access } = yield* granted(client.client_id, odin, "offline_access")
      const byClient = personByKey(access, odin.id)
      assert.strictEqual(ok(yield* byClient.get("/accounts")).handle, "odin")
      const answer = yield* managing(client).delete
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.text, "")
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.strictEqual(answer.headers.pragma, "no-cache")
      assert.isUndefined(yield* rowOf(client.client_id))
      assert.strictEqual((yield* byClient.get("/accounts")).status, 401)
      const { delete: again, get, put } = managing(client)
      const { client_id } = client
      for (const call of [again, get, put(saidBy({ client_id }))]) assertRefused(yield* call, invalidToken)
    })
  )

  it.effect("is known by its own token alone, whatever else somebody has", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [client, other] = [yield* newClient(), yield* newClient()]
      const initial = yield* initialToken(odin)
      const { client: own } = yield* createOwn(odin)
      const token = client.registration_access_token
      const wrong = [
        [client.client_id, other.registration_access_token],
        [client.client_id, initial],
        [client.client_id, "x"],
        [client.client_id, token.slice(0, -1)],
        [client.client_id, odin.cookie],
        [other.client_id, token],
        [own.client_id, token],
        ["storyden-cli", token],
        ["foc_x", token],
        ["x".repeat(200), token],
        ["a%20b", token]
      ] as const
      for (const [clientId, sent] of wrong) {
        const { delete: remove, get, put } = registrationOf(clientId, sent)
        const body = saidBy({ client_id: clientId })
        for (const call of [get, put(body), remove]) assertRefused(yield* call, invalidToken)
      }
      const { delete: remove, get, put } = registrationOf(client.client_id, undefined)
      const body = saidBy({ client_id: client.client_id })
      for (const call of [get, put(body), remove]) assertRefused(yield* call, "Bearer")
      const path = `${registrations}/${client.client_id}`
      assertRefused(yield* call("GET", path, { headers: odin.headers }), "Bearer")
      assert.deepStrictEqual(ok(yield* managing(client).get), client)
      // It says nothing of who a caller is.
      const headers = { authorization: `Bearer ${token}` }
      assert.notProperty(ok(yield* call("GET", "/api/session", { headers })), "account")
    })
  )

  it.effect("says from now on how it proves who it is", () =>
    Effect.gen(function* () {
      const method = (token_endpoint_auth_method: string) => ({ token_endpoint_auth_method })
      const client = yield* newClient(method("client_secret_basic"))
      const { client_id } = client
      const changed = ok(yield* managing(client).put(saidBy({ client_id, ...method("client_secret_post") })))
      assert.deepInclude(ok(yield* managing(changed).get), method("client_secret_post"))
    })
  )

  it.effect("leaves an event whenever it registers, changes and deletes itself", () =>
    Effect.gen(function* () {
      const client = yield* newClient({ client_name: "Tide tables" })
      const { client_id } = client
      const changed = ok(yield* managing(client).put(saidBy({ client_id, client_name: "Waves" })))
      assert.strictEqual((yield* managing(changed).delete).status, 204)
      const told = yield* SqlClient.SqlClient.use(
        (sql) => sql<{ readonly event: { readonly id: string; readonly initial_access_token_id?: string } }>`
          select event, actor_id from event_log where event ->> 'client_id' = ${client_id} order by id`
      )
      const { id = "", initial_access_token_id = "" } = told[0]?.event ?? {}
      assert.match(`${id} ${initial_access_token_id}`, /^[0-9a-v]{20} [0-9a-v]{20}$/)
      const event = { id, client_id, name: "Waves" }
      assert.deepStrictEqual(
        told.map((row) => row),
        [
          { _tag: "OAuthClientRegistered", ...event, name: "Tide tables", initial_access_token_id },
          { _tag: "OAuthClientRegistrationChanged", ...event },
          { _tag: "OAuthClientUnregistered", ...event }
        ].map((event) => ({ event, actor_id: null }))
      )
    })
  )

  it.effect("is told what administrators changed of it, and goes with what they delete", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const client = yield* newClient()
      const { clients } = ok(yield* odin.get(administrative))
      const { id } = clients.find((one: { readonly client_id: string }) => one.client_id === client.client_id)
      const change = { name: "Renamed", allowed_scopes: [], allowed_grants: ["client_credentials"] }
      ok(yield* odin.patch(`${administrative}/${id}`, change))
      const told = ok(yield* managing(client).get)
      assert.strictEqual(told.client_name, "Renamed")
      assert.notProperty(told, "scope")
      assert.deepStrictEqual([told.grant_types, told.response_types], [["client_credentials"], []])
      assert.strictEqual((yield* odin.delete(`${administrative}/${id}`)).status, 204)
      assertRefused(yield* managing(client).get, invalidToken)
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a registered client, on two instances,", (it) => {
  it.effect("changes once with one token, however often it asks at the same time", () =>
    Effect.gen(function* () {
      const client = yield* newClient()
      const { client_id } = client
      const answers = yield* fifty((n) =>
        managing(client).put(saidBy({ client_id, client_name: `Name ${n}` }))
      )
      const changed = answers.filter(({ status }) => status === 200)
      assert.strictEqual(changed.length, 1)
      for (const answer of answers.filter(({ status }) => status !== 200)) assertRefused(answer, invalidToken)
      assert.deepStrictEqual(ok(yield* managing(changed[0]?.json).get), changed[0]?.json)
    })
  )
})

/** What happens before the next hash. */
let beforeHash: Effect.Effect<void> = Effect.void

const hashing = People.withCast(
  TestApp.layerWhere(
    {},
    App.stores,
    TestApp.hashesAfter(() => Effect.suspend(() => beforeHash))
  )
)

layer(hashing)("the secret of a registered client", (it) => {
  it.effect("is the one that an administrator gave it while it changed itself", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const client = yield* newClient({ token_endpoint_auth_method: "client_secret_basic" })
      const { client_id, client_secret } = client
      const { clients } = ok(yield* odin.get(administrative))
      const { id } = clients.find((one: { readonly client_id: string }) => one.client_id === client_id)
      const context = yield* Effect.context<HttpClient.HttpClient>()
      beforeHash = Effect.suspend(() => {
        beforeHash = Effect.void
        return odin
          .patch(`${administrative}/${id}`, { client_secret_hash: secretHash })
          .pipe(Effect.map(ok), Effect.provideContext(context), Effect.orDie, Effect.asVoid)
      })
      const changes = { client_id, client_secret, token_endpoint_auth_method: "client_secret_basic" }
      ok(yield* managing(client).put(saidBy(changes)))
      assert.strictEqual((yield* rowOf(client_id))?.secret_hash, secretHash)
    })
  )
})
