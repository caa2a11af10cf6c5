/** What clients are told of their tokens, and how they end them. That nobody can use these then is in test/session/revocation.test.ts. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { createClient, createOwn } from "../support/clients.ts"
import * as People from "../support/people.ts"
import { Cast, reinstate, suspend } from "../support/people.ts"
import { basic, claimsOf, type Fields, granted, postForm, refresh, refusalIn } from "../support/tokens.ts"

const revoke = (fields: Fields, headers?: Fields) => postForm("/oauth/revoke", fields, headers)
const introspect = (fields: Fields, headers?: Fields) => postForm("/oauth/introspect", fields, headers)

/** A client with a secret, which may come back. */
const confidential = Effect.gen(function* () {
  const { odin } = yield* Cast
  const { client, client_secret } = yield* createOwn(odin, {
    type: "confidential",
    allowed_grants: ["authorization_code", "refresh_token"]
  })
  return { id: client.client_id, proof: basic(client.client_id, client_secret) }
})

const inactive = { active: false }

layer(People.layer)("a client that asks about a token", (it) => {
  it.effect("is told what it is worth", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id, proof } = yield* confidential
      const scope = "offline_access CREATE_POST"
      const { access, refresh: token } = yield* granted(id, freya, scope)
      const claims = claimsOf(access)
      const answer = yield* introspect({ token: access, token_type_hint: "refresh_token" }, proof)
      const common = {
        active: true,
        scope,
        client_id: id,
        username: "freya",
        sub: freya.id,
        iss: "http://forum.test",
        iat: claims.iat
      }
      assert.deepStrictEqual(ok(answer), {
        ...common,
        exp: claims.exp,
        token_type: "Bearer",
        aud: "http://forum.test/api",
        jti: claims.jti
      })
      assert.deepInclude(answer.headers, { "cache-control": "no-store", pragma: "no-cache" })
      assert.deepStrictEqual(ok(yield* introspect({ token }, proof)), {
        ...common,
        exp: claims.iat + 30 * 24 * 3600
      })
    })
  )

  it.effect("is told nothing of tokens that are worth nothing to it", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id, proof } = yield* confidential
      const { proof: other } = yield* confidential
      const { access, refresh: token } = yield* granted(id, freya, "offline_access")
      for (const any of [access, token]) {
        assert.deepStrictEqual(ok(yield* introspect({ token: any }, other)), inactive)
        yield* suspend(freya)
        assert.deepStrictEqual(ok(yield* introspect({ token: any }, proof)), inactive)
        yield* reinstate(freya)
        assert.isTrue(ok(yield* introspect({ token: any }, proof)).active)
      }
      for (const any of ["x", "x".repeat(43), `${access}x`, "ey.ey.ey", "x".repeat(4096)]) {
        assert.deepStrictEqual(ok(yield* introspect({ token: any }, proof)), inactive)
      }
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(ok(yield* introspect({ token: access }, proof)), inactive)
      assert.isTrue(ok(yield* introspect({ token }, proof)).active)
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(ok(yield* introspect({ token }, proof)), inactive)
    })
  )

  it.effect("has to have a secret, and to send it, and a token", () =>
    Effect.gen(function* () {
      const { id, proof } = yield* confidential
      const { odin } = yield* Cast
      const open = yield* createClient(odin, odin)
      const token = "x".repeat(43)
      assert.strictEqual(refusalIn(yield* introspect({}, proof)), "400 invalid_request")
      assert.strictEqual(refusalIn(yield* introspect({ token })), "400 invalid_client")
      assert.strictEqual(refusalIn(yield* introspect({ token, client_id: id })), "400 invalid_client")
      assert.strictEqual(
        refusalIn(yield* introspect({ token }, basic(id, "fos_wrong"))),
        "401 invalid_client"
      )
      assert.strictEqual(
        refusalIn(yield* introspect({ token, client_id: open.client_id })),
        "400 invalid_client"
      )
    })
  )
})

layer(People.layer)("a client that ends a token", (it) => {
  it.effect("ends all that was granted with a refresh token, once and again", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id, proof } = yield* confidential
      const { access, refresh: token } = yield* granted(id, freya, "offline_access")
      for (const _ of [1, 2]) {
        const answer = yield* revoke({ token }, proof)
        assert.deepStrictEqual([answer.status, answer.text], [200, ""])
        assert.deepInclude(answer.headers, { "cache-control": "no-store", pragma: "no-cache" })
      }
      assert.deepStrictEqual(ok(yield* introspect({ token }, proof)), inactive)
      assert.deepStrictEqual(ok(yield* introspect({ token: access }, proof)), inactive)
    })
  )

  it.effect("ends an access token alone", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id, proof } = yield* confidential
      const { access, refresh: token } = yield* granted(id, freya, "offline_access")
      const { access: another } = yield* granted(id, freya, "offline_access")
      yield* TestClock.adjust("1 second")
      ok(yield* revoke({ token: access, token_type_hint: "anything" }, proof))
      assert.deepStrictEqual(ok(yield* introspect({ token: access }, proof)), inactive)
      assert.isTrue(ok(yield* introspect({ token: another }, proof)).active)
      assert.isTrue(ok(yield* introspect({ token }, proof)).active)
    })
  )

  it.effect("needs no secret if it has none, and ends nothing of others", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client_id } = yield* createClient(odin, odin)
      const { client_id: other } = yield* createClient(odin, odin)
      const { access, refresh: token } = yield* granted(client_id, freya, "offline_access")
      for (const any of [access, token]) {
        assert.strictEqual(refusalIn(yield* revoke({ token: any, client_id: other })), "400 invalid_grant")
      }
      const renewed = ok(yield* refresh(client_id, token)).refresh_token
      // One that is spent still names what was granted.
      ok(yield* revoke({ token, client_id }))
      assert.strictEqual(refusalIn(yield* refresh(client_id, renewed)), "400 invalid_grant")
    })
  )

  it.effect("is told what is missing or wrong, and not whether a token is unknown", () =>
    Effect.gen(function* () {
      const { id, proof } = yield* confidential
      assert.strictEqual(refusalIn(yield* revoke({}, proof)), "400 invalid_request")
      assert.strictEqual(refusalIn(yield* revoke({ token: "" }, proof)), "400 invalid_request")
      assert.strictEqual(refusalIn(yield* revoke({ token: "x" })), "400 invalid_client")
      assert.strictEqual(refusalIn(yield* revoke({ token: "x", client_id: id })), "400 invalid_client")
      for (const token of ["x", "x".repeat(43), "ey.ey.ey"]) ok(yield* revoke({ token }, proof))
    })
  )
})
