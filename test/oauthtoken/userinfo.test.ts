/** What a client is told of the person for whom it acts. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AccessTokenRequired, AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, call, grant, guest, personByKey, signUp, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { withToken } from "../support/tokens.ts"

const path = "/oauth/userinfo"

const addAddress = (account: string, address: string, isVerified: boolean, at: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`insert into account_emails (id, account_id, address, verified, created_at)
      values (${`email${address
        .slice(0, 14)
        .replaceAll(/[^a-z]/g, "0")
        .padStart(14, "0")}0`}, ${account}, ${address},
        ${isVerified}, ${at}::timestamptz)`
  )

layer(People.layer)("what a client is told of its person", (it) => {
  it.effect("is what the scopes of its token say, by either method, and is kept by nobody", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      ok(yield* freya.patch("/accounts", { name: "Freya of Fólkvangr" }))
      const sub = freya.id
      const profile = { name: "Freya of Fólkvangr", preferred_username: "freya" }
      for (const [scope, told] of [
        ["", { sub }],
        ["openid", { sub }],
        ["offline_access CREATE_POST", { sub }],
        ["profile", { sub, ...profile }],
        ["email", { sub }],
        ["openid email profile", { sub, ...profile }]
      ] as const) {
        const program = yield* withToken(freya, scope)
        const answer = yield* program.get(path)
        assert.deepStrictEqual(ok(answer), told, scope)
        assert.strictEqual(answer.headers["cache-control"], "private, no-store")
        assert.deepStrictEqual(ok(yield* program.post(path)), told, scope)
      }
    })
  )

  it.effect("has the first address that is verified, or else the last one, as it is now", () =>
    Effect.gen(function* () {
      const person = yield* signUp("sigyn")
      const program = yield* withToken(person, "email")
      const told = Effect.map(program.get(path), (answer) => {
        const { email, email_verified } = ok(answer)
        return [email, email_verified]
      })
      yield* addAddress(person.id, "one@asgard.example", false, "2026-01-01Z")
      assert.deepStrictEqual(yield* told, ["one@asgard.example", false])
      yield* addAddress(person.id, "two@asgard.example", false, "2026-01-02Z")
      assert.deepStrictEqual(yield* told, ["two@asgard.example", false])
      yield* addAddress(person.id, "three@asgard.example", true, "2026-01-03Z")
      yield* addAddress(person.id, "four@asgard.example", true, "2026-01-04Z")
      assert.deepStrictEqual(yield* told, ["three@asgard.example", true])
    })
  )

  it.effect("is for access tokens alone", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const led = 'Bearer resource_metadata="http://forum.test/.well-known/oauth-protected-resource/api"'
      for (const person of [guest, odin]) {
        for (const answer of [yield* person.get(path), yield* person.post(path)]) {
          assertProblem(answer, Unauthenticated)
          assert.strictEqual(answer.headers["www-authenticate"], led)
        }
      }
      const bad = yield* personByKey("eyJ.eyJ.eyJ", "").get(path)
      assertProblem(bad, Unauthenticated)
      assert.strictEqual(bad.headers["www-authenticate"], `${led}, error="invalid_token"`)
      yield* grant(odin, permission)
      assertProblem(yield* (yield* withKey(odin)).get(path), AccessTokenRequired)
      // The session says who calls, so that the token beside it is none.
      const program = yield* withToken(odin, "openid")
      const both = { ...odin.headers, ...program.headers }
      assertProblem(yield* call("GET", `/api${path}`, { headers: both }), Unauthenticated)
    })
  )

  it.effect("is told to nobody while the account is suspended", () =>
    Effect.gen(function* () {
      const person = yield* signUp("lofn")
      const program = yield* withToken(person, "openid")
      ok(yield* program.get(path))
      yield* suspend(person)
      assertProblem(yield* program.get(path), AccountSuspended)
    })
  )
})
