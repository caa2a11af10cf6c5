/** What a 401 says of how to authenticate (RFC 6750, 3; RFC 9728, 5.1). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { takenBy } from "../../src/domain/shared/Access.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { operations } from "../support/operations.ts"
import * as People from "../support/people.ts"
import { Cast, call, guest, personByKey } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { granted } from "../support/tokens.ts"

const led = 'Bearer resource_metadata="http://forum.test/.well-known/oauth-protected-resource/api"'

const invalid = 'error="invalid_token"'

const challengeIn = ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) =>
  headers["www-authenticate"]

layer(People.layer)("the challenge of a 401", (it) => {
  it.effect("leads to the document about the API, which names who issues tokens", () =>
    Effect.gen(function* () {
      const refused = yield* guest.get("/accounts")
      assertProblem(refused, Unauthenticated)
      assert.strictEqual(challengeIn(refused), led)
      const [, address = ""] = /"(.*)"/.exec(led) ?? []
      const document = ok(yield* call("GET", new URL(address).pathname))
      assert.strictEqual(document.resource, "http://forum.test/api")
      assert.deepStrictEqual(document.authorization_servers, ["http://forum.test"])
    })
  )

  it.effect(
    "says that a bearer token is not valid, whatever it is, and nothing of one that is not needed",
    () =>
      Effect.gen(function* () {
        const { freya, odin } = yield* Cast
        const { access } = yield* granted("forum-cli", freya, "")
        const changed = `${access.slice(0, -1)}${access.endsWith("A") ? "B" : "A"}`
        for (const token of ["fpk_nothing", `fpk_${"A".repeat(43)}`, "ey", "eyJ.eyJ.eyJ", changed, "x"]) {
          const program = personByKey(token, "")
          assert.strictEqual(challengeIn(yield* program.get("/accounts")), `${led}, ${invalid}`, token)
          assert.isUndefined(challengeIn(yield* program.get("/session")))
        }
        for (const headers of [
          { authorization: "Basic x" },
          { authorization: "Bearer" },
          { cookie: "forum-session=x" }
        ]) {
          const refused = yield* call("GET", "/api/accounts", { headers })
          assert.strictEqual(challengeIn(refused), led, JSON.stringify(headers))
        }
        // A session says who calls, so that nobody has looked at the token.
        const headers = { ...odin.headers, authorization: "Bearer x" }
        assert.strictEqual(challengeIn(yield* call("GET", "/api/oauth/userinfo", { headers })), led)
      })
  )

  it.effect("is that of its operation: none is led to get a token where the session cookie is needed", () =>
    Effect.gen(function* () {
      let seen = 0
      for (const { access, id, isOpen, method, path, refusesAsOAuth } of operations) {
        const answer = yield* call(method, path)
        // Those of clients have challenges of their own.
        if (answer.status !== 401 || isOpen || (refusesAsOAuth && access._tag === "Public")) continue
        seen += 1
        assert.strictEqual(challengeIn(answer), takenBy(access) === "cookie" ? "Bearer" : led, id)
      }
      assert.isAbove(seen, 50)
    })
  )
})

layer(People.withCast(TestApp.layerWhere({ oauthEnabled: false })))("the challenge without OAuth", (it) => {
  it.effect("leads nowhere, and says all the same that a token is not valid", () =>
    Effect.gen(function* () {
      assert.strictEqual(challengeIn(yield* guest.get("/accounts")), "Bearer")
      const program = personByKey("eyJ.eyJ.eyJ", "")
      assert.strictEqual(challengeIn(yield* program.get("/accounts")), `Bearer ${invalid}`)
    })
  )
})
