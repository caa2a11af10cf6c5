/** The codes of approvals: what they are exchanged for, once, by the client and the browser that began. */

import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { approved, asked, decide, exchange, redirectUri } from "../support/authorisations.ts"
import { administrative, createClient, createOwn } from "../support/clients.ts"
import { fifty } from "../support/fifty.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, reinstate, suspend } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"
import { askFor, basic, claimsOf, refresh, refusalIn } from "../support/tokens.ts"

const begun = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const client = yield* createClient(odin, odin, {
    allowed_scopes: ["CREATE_POST", "MANAGE_POSTS"],
    redirect_uris: [redirectUri, `${redirectUri}/other`]
  })
  yield* grant(freya, "USE_OAUTH_CLIENTS")
  return { client, id: client.client_id }
})

const scope = "openid profile offline_access CREATE_POST MANAGE_POSTS"

layer(People.layer)("the code of an approval", (it) => {
  it.effect("is exchanged for what was granted", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      const code = yield* approved(freya, id, { scope, nonce: "n-0S6_WzA2Mj" })
      const tokens = ok(yield* exchange(id, code))
      assert.strictEqual(tokens.scope, "openid profile offline_access CREATE_POST")
      assert.deepInclude(claimsOf(tokens.access_token), { sub: freya.id, scope: tokens.scope })
      assert.deepInclude(claimsOf(tokens.id_token), { aud: id, nonce: "n-0S6_WzA2Mj", name: "freya" })
      const again = ok(yield* refresh(id, tokens.refresh_token))
      assert.notProperty(claimsOf(again.id_token), "nonce")
    })
  )

  it.effect("gives nothing but what was asked for", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      const tokens = ok(yield* exchange(id, yield* approved(freya, id)))
      assert.strictEqual(tokens.scope, "")
      assert.doesNotHaveAnyKeys(tokens, ["id_token", "refresh_token"])
      const openid = ok(yield* exchange(id, yield* approved(freya, id, { scope: "openid" })))
      assert.notProperty(claimsOf(openid.id_token), "nonce")
    })
  )

  it.effect("brings no refresh token to a client that may not come back", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client, id } = yield* begun
      ok(yield* odin.patch(`${administrative}/${client.id}`, { allowed_grants: ["authorization_code"] }))
      const tokens = ok(yield* exchange(id, yield* approved(freya, id, { scope: "offline_access" })))
      assert.strictEqual(tokens.scope, "offline_access")
      assert.notProperty(tokens, "refresh_token")
    })
  )

  it.effect("can be got and exchanged with an access key alone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* grant(odin, permission)
      const { id } = yield* begun
      const program = yield* withKey(odin)
      const tokens = ok(yield* exchange(id, yield* approved(program, id, { scope: "CREATE_POST" })))
      assert.strictEqual(claimsOf(tokens.access_token).sub, odin.id)
    })
  )

  it.effect("is used once, and ends what it was exchanged for when it comes again", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* begun
      const code = yield* approved(freya, id, { scope })
      const tokens = ok(yield* exchange(id, code))
      assert.strictEqual(refusalIn(yield* exchange(id, code)), "400 invalid_grant")
      assert.strictEqual(refusalIn(yield* refresh(id, tokens.refresh_token)), "400 invalid_grant")
      const { events } = ok(yield* odin.get("/admin/audit-events?types=oauth_token_reused"))
      assert.deepInclude(events[0], { client_id: id, account_id: freya.id })
    })
  )

  it.effect("is refused by name, and stays good for who is right", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { id } = yield* begun
      const { id: other } = yield* begun
      const code = yield* approved(freya, id)
      const grant_type = "authorization_code"
      const whole = {
        grant_type,
        client_id: id,
        code,
        redirect_uri: redirectUri,
        code_verifier: "v".repeat(43)
      }
      for (const field of ["code", "redirect_uri", "code_verifier"] as const) {
        const { [field]: _, ...rest } = whole
        assert.strictEqual(refusalIn(yield* askFor(rest)), "400 invalid_request", field)
        assert.strictEqual(refusalIn(yield* askFor({ ...whole, [field]: "" })), "400 invalid_request", field)
        // Before it is known whether there is such a client.
        assert.strictEqual(
          refusalIn(yield* askFor({ ...rest, client_id: "nobody" })),
          "400 invalid_request",
          field
        )
      }
      const cases = [
        [{ client_id: "nobody" }, "400 invalid_client"],
        [{ client_id: "" }, "400 invalid_client"],
        [{ client_id: "forum-cli" }, "400 unauthorized_client"],
        [{ client_id: other }, "400 invalid_grant"],
        [{ code: "x" }, "400 invalid_grant"],
        [{ code: "x".repeat(43) }, "400 invalid_grant"],
        [{ redirect_uri: `${redirectUri}/other` }, "400 invalid_grant"],
        [{ redirect_uri: `${redirectUri}/` }, "400 invalid_grant"],
        [{ code_verifier: "v".repeat(42) }, "400 invalid_request"],
        [{ code_verifier: "v".repeat(129) }, "400 invalid_request"],
        [{ code_verifier: `${"v".repeat(43)}!` }, "400 invalid_request"],
        [{ code_verifier: "w".repeat(43) }, "400 invalid_grant"]
      ] as const
      for (const [more, expected] of cases) {
        assert.strictEqual(refusalIn(yield* askFor({ ...whole, ...more })), expected, JSON.stringify(more))
      }
      yield* suspend(freya)
      assert.strictEqual(refusalIn(yield* askFor(whole)), "400 invalid_grant")
      yield* reinstate(freya)
      ok(yield* askFor(whole))
      assert.isDefined(odin)
    })
  )

  it.effect("is valid for a minute", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { id } = yield* begun
      const [early, late] = [yield* approved(freya, id), yield* approved(freya, id)]
      yield* TestClock.adjust("59 seconds")
      ok(yield* exchange(id, early))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(refusalIn(yield* exchange(id, late)), "400 invalid_grant")
    })
  )

  it.effect("of a confidential client needs its secret", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { client, client_secret } = yield* createOwn(odin, { type: "confidential" })
      const { client_id } = client
      const code = yield* approved(odin, client_id)
      assert.strictEqual(refusalIn(yield* exchange(client_id, code)), "400 invalid_client")
      const { grant_type, ...fields } = {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        code_verifier: "v".repeat(43)
      }
      ok(yield* askFor({ grant_type, ...fields }, basic(client_id, client_secret)))
    })
  )

  it.effect("goes with its client", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client, id } = yield* begun
      const code = yield* approved(freya, id)
      const question = yield* asked(freya, id)
      yield* odin.delete(`${administrative}/${client.id}`)
      assert.strictEqual(refusalIn(yield* exchange(id, code)), "400 invalid_client")
      assert.strictEqual(refusalIn(yield* decide(freya, question, "deny")), "400 invalid_request")
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))(
  "the code of an approval, on two instances",
  (it) => {
    it.effect("is exchanged by one of fifty at a time", () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        const { id } = yield* begun
        const code = yield* approved(freya, id, { scope })
        const answers = yield* fifty(() => exchange(id, code))
        assert.lengthOf(
          answers.filter(({ status }) => status === 200),
          1
        )
        for (const answer of answers.filter(({ status }) => status !== 200)) {
          assert.strictEqual(refusalIn(answer), "400 invalid_grant")
        }
      })
    )
  }
)
