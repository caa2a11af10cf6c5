/** Approving connections: going to the server, and coming back with a code. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RemoteConnections } from "../../src/domain/remoteresource/RemoteConnections.ts"
import {
  RemoteCallbackRefused,
  RemoteStateNotYours,
  RemoteStateUnknown
} from "../../src/domain/remoteresource/RemoteRefusal.ts"
import { CookieRequired } from "../../src/domain/shared/Actor.ts"
import { type Answer, ok } from "../support/answers.ts"
import { permission, withKey } from "../support/keys.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { cimd, dcr, type Manner, makeRemote } from "../support/remote.ts"
import * as TestApp from "../support/TestApp.ts"
import { authorise, comeBack, connect, connections, pending, permit } from "./support.ts"

const remote = makeRemote("archive")

const refused = (reason: RemoteCallbackRefused["metadata"]["reason"]) => ({ reason })

const successes = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status === 200)

/** A new connection of Odin, and what a browser brings back from its server. */
const approved = Effect.fnUntraced(function* (how: Manner = {}, more: object = {}) {
  const { odin } = yield* Cast
  yield* remote.appear({ ...how, tells: how.tells ?? cimd })
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from remote_connections`
  const { id } = ok(yield* connect(odin, remote, more))
  const begun = yield* authorise(odin, id)
  return { odin, id, begun, brought: remote.approve(begun) }
})

layer(People.layer)("an approval", (it) => {
  it.effect("connects, and shows what was granted and until when", () =>
    Effect.gen(function* () {
      const { begun, brought, odin } = yield* approved({ gives: { scope: "read" } }, { scope: "read write" })
      const { connection } = ok(begun)
      assert.strictEqual(new URL(begun.json.authorization_url).searchParams.get("scope"), "read write")
      const done = ok(yield* comeBack(odin, brought)).connection
      const { token_expiry, ...rest } = done
      assert.deepStrictEqual(rest, {
        ...connection,
        updatedAt: done.updatedAt,
        status: "connected",
        scope: "read",
        has_access_token: true,
        has_refresh_token: true,
        token_type: "Bearer"
      })
      assert.strictEqual(Date.parse(token_expiry) - Date.parse(done.updatedAt), 3_600_000)
      assert.deepStrictEqual(ok(yield* odin.get(connections)).connections, [done])
    })
  )

  it.effect("authenticates as the server wants it", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const [method, token_endpoint_auth_method] of [
        ["basic", "client_secret_basic"],
        ["basic", undefined],
        ["post", "client_secret_post"]
      ] as const) {
        const client = { id: "forum at: archive", secret: "hush/&+ü", method }
        const body = { client_id: client.id, client_secret: client.secret, token_endpoint_auth_method }
        const { brought } = yield* approved({ tells: dcr(remote), client, registers: { status: 201, body } })
        assert.strictEqual(ok(yield* comeBack(odin, brought)).connection.status, "connected")
      }
      // Of a server that tells no resource, none is asked for; and there may be no token to refresh.
      const gives = { refresh_token: undefined, expires_in: undefined }
      const { brought } = yield* approved({ resourceTells: { resource: undefined }, gives })
      const { has_refresh_token, resource, token_expiry } = ok(yield* comeBack(odin, brought)).connection
      assert.deepStrictEqual([has_refresh_token, resource, token_expiry], [false, undefined, undefined])
    })
  )

  it.effect("may be made again, and replaces the token", () =>
    Effect.gen(function* () {
      const { brought, id, odin } = yield* approved()
      ok(yield* comeBack(odin, brought))
      yield* remote.behave({ gives: { refresh_token: undefined, token_type: "bearer" } })
      const again = ok(yield* comeBack(odin, remote.approve(yield* authorise(odin, id)))).connection
      assert.deepStrictEqual([again.has_refresh_token, again.token_type], [false, "bearer"])
    })
  )

  it.effect("is for ten minutes, and is then forgotten", () =>
    Effect.gen(function* () {
      const { id, odin } = yield* approved()
      const [inTime, late] = [yield* authorise(odin, id), yield* authorise(odin, id)].map(remote.approve)
      yield* TestClock.adjust("599 seconds")
      ok(yield* comeBack(odin, inTime ?? {}))
      yield* TestClock.adjust("1 second")
      assertProblem(yield* comeBack(odin, late ?? {}), RemoteCallbackRefused, refused("expired"))
      assertProblem(yield* comeBack(odin, inTime ?? {}), RemoteCallbackRefused, refused("used"))
      const { forgetAuthorisations } = yield* RemoteConnections
      yield* TestClock.adjust("59 minutes")
      yield* forgetAuthorisations
      assertProblem(yield* comeBack(odin, late ?? {}), RemoteCallbackRefused, refused("expired"))
      yield* TestClock.adjust("1 minute")
      yield* forgetAuthorisations
      assertProblem(yield* comeBack(odin, late ?? {}), RemoteStateUnknown)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from remote_authorizations`, 0)
    })
  )

  it.effect("is finished by the account that began it, and by nobody else", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* permit(tyr)
      const { brought, odin } = yield* approved()
      assertProblem(yield* comeBack(tyr, brought), RemoteStateNotYours)
      // Others who may manage robots begin for themselves, also with connections of others.
      const { id } = ok(yield* odin.get(connections)).connections[0]
      const theirs = remote.approve(yield* authorise(tyr, id))
      assertProblem(yield* comeBack(odin, theirs), RemoteStateNotYours)
      ok(yield* comeBack(tyr, theirs))
      ok(yield* comeBack(odin, brought))
    })
  )

  it.effect("takes the session cookie, a state and a code", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* permit(tyr, permission)
      assertProblem(yield* comeBack(yield* withKey(tyr), { state: "x", code: "x" }), CookieRequired)
      assertInvalid(yield* comeBack(tyr, {}), "query state", "query code")
      assertInvalid(yield* comeBack(tyr, { state: "x" }), "query code")
      assertInvalid(yield* comeBack(tyr, { code: "x" }), "query state")
      assertInvalid(yield* comeBack(tyr, { state: "", code: "" }), "query state", "query code")
      const long = { state: "x".repeat(1001), code: "x".repeat(4001), iss: "x".repeat(1001) }
      assertInvalid(yield* comeBack(tyr, long), "query state", "query code", "query iss")
      const longest = { state: "x".repeat(1000), code: "x".repeat(4000), iss: "x".repeat(1000) }
      assertProblem(yield* comeBack(tyr, longest), RemoteStateUnknown)
    })
  )

  it.effect("is worth nothing once its connection was deleted or made anew", () =>
    Effect.gen(function* () {
      const { brought, id, odin } = yield* approved()
      yield* odin.delete(`${connections}/${id}`)
      assertProblem(yield* comeBack(odin, brought), RemoteStateUnknown)
      const again = yield* approved()
      yield* pending(odin, remote)
      assertProblem(yield* comeBack(odin, again.brought), RemoteStateUnknown)
    })
  )

  it.effect("that was begun too often counts for the newest", () =>
    Effect.gen(function* () {
      const { brought, id, odin } = yield* approved()
      for (let n = 0; n < 19; n++) {
        yield* TestClock.adjust("1 second")
        ok(yield* authorise(odin, id))
      }
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from remote_authorizations`, 20)
      yield* TestClock.adjust("1 second")
      const newest = remote.approve(yield* authorise(odin, id))
      assert.lengthOf(yield* sql`select from remote_authorizations`, 20)
      assertProblem(yield* comeBack(odin, brought), RemoteStateUnknown)
      ok(yield* comeBack(odin, newest))
    })
  )
})

layer(People.layer)("what is brought back", (it) => {
  it.effect("is from the server of the connection, as far as that says so", () =>
    Effect.gen(function* () {
      const named = { ...cimd, authorization_response_iss_parameter_supported: true }
      const { brought, odin } = yield* approved({ tells: named })
      for (const iss of [undefined, "https://evil.test", `${remote.issuer}/other`]) {
        const answer = yield* comeBack(odin, { ...brought, ...(iss === undefined ? {} : { iss }) })
        assertProblem(answer, RemoteCallbackRefused, refused("issuer"))
      }
      assert.deepStrictEqual(remote.asked.grants, [])
      // Nothing of this has used it up.
      ok(yield* comeBack(odin, { ...brought, iss: remote.issuer }))
      const unnamed = yield* approved()
      const mixed = { ...unnamed.brought, iss: "https://evil.test" }
      assertProblem(yield* comeBack(odin, mixed), RemoteCallbackRefused, refused("issuer"))
      ok(yield* comeBack(odin, unnamed.brought))
    })
  )

  it.effect("is refused where the server refuses it, or gives no token, which the connection tells", () =>
    Effect.gen(function* () {
      const noToken = "The server answered without a token"
      const cases = [
        [
          400,
          { error: "invalid_grant", error_description: "hush" },
          "refused",
          "The server refused: invalid_grant"
        ],
        [401, { error: "hush" }, "refused", "The server refused with status 401"],
        [503, "hush", "refused", "The server refused with status 503"],
        [200, { access_token: "hush" }, "answer", noToken],
        [200, { token_type: "Bearer" }, "answer", noToken],
        [200, "hush", "answer", noToken]
      ] as const
      for (const [status, body, reason, last_error] of cases) {
        const { brought, odin } = yield* approved({ answers: { status, body } })
        const answer = yield* comeBack(odin, brought)
        assertProblem(answer, RemoteCallbackRefused, refused(reason))
        const { connections: listed } = ok(yield* odin.get(connections))
        assert.deepStrictEqual([listed[0].status, listed[0].last_error], ["error", last_error])
        assert.notInclude(answer.text + JSON.stringify(listed), "hush")
        assertProblem(yield* comeBack(odin, brought), RemoteCallbackRefused, refused("used"))
      }
      const { brought, id, odin } = yield* approved()
      Pages.put(`${remote.issuer}/token`, Pages.json({}, 302))
      assertProblem(yield* comeBack(odin, brought), RemoteCallbackRefused, refused("refused"))
      // Another try makes it good.
      yield* remote.appear({ tells: cimd })
      const done = ok(yield* comeBack(odin, remote.approve(yield* authorise(odin, id)))).connection
      assert.deepStrictEqual([done.status, done.last_error], ["connected", undefined])
    })
  )

  it.effect("may not reach the server", () =>
    Effect.gen(function* () {
      const { brought, id, odin } = yield* approved({
        tells: { ...cimd, token_endpoint: "https://gone.test/" }
      })
      assertProblem(yield* comeBack(odin, brought), RemoteCallbackRefused, refused("unreachable"))
      const [{ last_error }] = ok(yield* odin.get(connections)).connections
      assert.strictEqual(last_error, "The server gave no whole answer")
      assert.strictEqual((yield* odin.delete(`${connections}/${id}`)).status, 204)
    })
  )

  it.effect("is a code that this connection has asked for", () =>
    Effect.gen(function* () {
      const { brought, id, odin } = yield* approved()
      const other = remote.approve(yield* authorise(odin, id))
      // The verifier is that of another way.
      const mixed = { ...brought, code: other.code }
      assertProblem(yield* comeBack(odin, mixed), RemoteCallbackRefused, refused("refused"))
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a state", (it) => {
  it.effect("is used once of fifty times at the same moment, before the server is asked", () =>
    Effect.gen(function* () {
      const { brought, odin } = yield* approved()
      const elsewhere = yield* TestApp.UncachedClient
      const answers = yield* Effect.forEach(
        Array(50).keys(),
        (n) =>
          n % 2 === 0
            ? comeBack(odin, brought)
            : Effect.provideService(comeBack(odin, brought), HttpClient.HttpClient, elsewhere),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(successes(answers), 1)
      for (const answer of answers) {
        if (answer.status !== 200) assertProblem(answer, RemoteCallbackRefused, refused("used"))
      }
      assert.deepStrictEqual(remote.asked.grants, ["authorization_code"])
    })
  )
})
