/** The whole way to a server that others have written, by requests that go over the network. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { RemoteTokens } from "../../src/domain/remoteresource/RemoteTokens.ts"
import { RemoteConnectionId } from "../../src/domain/shared/Id.ts"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast } from "../support/people.ts"
import * as Provider from "../support/provider.ts"
import * as TestApp from "../support/TestApp.ts"
import { authorise, comeBack, connections, discover } from "./support.ts"

layer(People.withCast(TestApp.layerWithWeb(Provider.outbound)))("a resource at a real server", (it) => {
  it.effect("is discovered, connected to by registration, approved, and its token refreshed", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { asked, issuer, provider, resource } = yield* Provider.serveProvider()

      const found = ok(yield* discover(odin, resource))
      assert.strictEqual(found.mode, "dcr")
      assert.strictEqual(found.authorization_server, issuer)
      assert.deepInclude(found.authorization_server_metadata.code_challenge_methods_supported, "S256")

      const scope = "openid offline_access read"
      const made = ok(yield* odin.post(connections, { resource_url: resource, scope }))
      assert.strictEqual(made.token_endpoint_auth_method, "none")
      assert.isFalse(made.has_client_secret)

      const begun = ok(yield* authorise(odin, made.id))
      const back = yield* Effect.promise(() => Provider.visit(issuer, begun.authorization_url))
      assert.strictEqual(`${back.origin}${back.pathname}`, "http://www.forum.test/oauth/remote/callback")
      const brought = Object.fromEntries(back.searchParams)
      assert.deepStrictEqual(Object.keys(brought).sort(), ["code", "iss", "state"])
      const done = ok(yield* comeBack(odin, brought)).connection
      assert.strictEqual(done.status, "connected")
      assert.isTrue(done.has_refresh_token)

      const { getFresh } = yield* RemoteTokens
      const id = RemoteConnectionId.make(made.id)
      const known = (token: Redacted.Redacted) =>
        Effect.promise(() => provider.AccessToken.find(Redacted.value(token)))
      const first = (yield* getFresh(id)).accessToken
      const { accountId, aud, clientId } = (yield* known(first)) ?? assert.fail("The token is unknown")
      assert.deepStrictEqual([accountId, aud, clientId], [Provider.person, resource, made.client_id])

      yield* TestClock.adjust("56 minutes")
      const second = (yield* getFresh(id)).accessToken
      assert.notStrictEqual(Redacted.value(second), Redacted.value(first))
      assert.strictEqual((yield* known(second))?.aud, resource)
      yield* TestClock.adjust("56 minutes")
      // The server has replaced the token to refresh, and takes the one before no more.
      assert.strictEqual((yield* known((yield* getFresh(id)).accessToken))?.aud, resource)
      assert.lengthOf(
        asked.filter((request) => request === "POST /token"),
        3
      )
    })
  )

  it.effect("refuses a code that was used, and says so", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { issuer, resource } = yield* Provider.serveProvider()
      const { id } = ok(yield* odin.post(connections, { resource_url: resource, scope: "openid read" }))
      const go = Effect.gen(function* () {
        const { authorization_url } = ok(yield* authorise(odin, id))
        const back = yield* Effect.promise(() => Provider.visit(issuer, authorization_url))
        return Object.fromEntries(back.searchParams)
      })
      const [one, other] = [yield* go, yield* go]
      const mixed = { ...other, code: one.code ?? "" }
      const answer = yield* comeBack(odin, mixed)
      assert.deepStrictEqual([answer.status, answer.json.metadata], [400, { reason: "refused" }])
      const [{ last_error }] = ok(yield* odin.get(connections)).connections
      assert.strictEqual(last_error, "The server refused: invalid_grant")
    })
  )
})
