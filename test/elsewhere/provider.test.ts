/** Signing in at a provider of OpenID Connect that others have written, by requests that go over the network. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ok } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, personIn } from "../support/people.ts"
import * as Provider from "../support/provider.ts"
import * as Providers from "../support/providers.ts"
import * as TestApp from "../support/TestApp.ts"
import { comeBack, leave } from "./support.ts"

const client = {
  client_id: "forum",
  client_secret: "a secret: with/odd+characters&more",
  redirect_uris: ["http://www.forum.test/auth/oauth_oidc/callback"]
}

layer(People.withCast(TestApp.layerWithWeb(Provider.outbound)))("a sign-in at a real provider", (it) => {
  it.effect("signs up who is new and in who is known, by what the provider tells for its token", () =>
    Effect.gen(function* () {
      yield* Cast
      const { asked, issuer } = yield* Provider.serveProvider([client])
      yield* Providers.offer({
        service: "oauth_oidc",
        issuer,
        clientId: client.client_id,
        clientSecret: Redacted.make(client.client_secret)
      })
      const enter = Effect.gen(function* () {
        const { kept, location } = yield* leave("oauth_oidc")
        const back = yield* Effect.promise(() => Provider.visit(issuer, location))
        assert.strictEqual(`${back.origin}${back.pathname}`, client.redirect_uris[0])
        const { code = "", state = "" } = Object.fromEntries(back.searchParams)
        const answer = yield* comeBack("oauth_oidc", { code, state }, kept)
        ok(answer)
        return personIn(answer)
      })
      const odin = yield* enter
      const account = ok(yield* odin.get("/accounts"))
      assert.strictEqual(account.handle, "allfather")
      assert.deepStrictEqual(
        account.email_addresses.map((address: { email_address: string; verified: boolean }) => [
          address.email_address,
          address.verified
        ]),
        [["odin@provider.example", true]]
      )
      assert.strictEqual((yield* enter).id, odin.id)
      // The id token has neither name nor address.
      const paths = ["GET /.well-known/openid-configuration", "POST /token", "GET /jwks", "GET /me"]
      for (const path of paths) assert.include(asked, path)
    })
  )
})
