/** Each sign-in elsewhere is finished once, in its time, by the browser that began it, with the answer of its provider. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SealedStates } from "../../src/domain/authentication/SealedStates.ts"
import { ElsewhereRefused, ProviderUnavailable } from "../../src/domain/elsewhere/Elsewhere.ts"
import { type Answer, ok } from "../support/answers.ts"
import { untilWaiting } from "../support/database.ts"
import { makeOpenId } from "../support/openid.ts"
import * as Pages from "../support/pages.ts"
import * as People from "../support/people.ts"
import { Cast, guest } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as Providers from "../support/providers.ts"
import * as TestApp from "../support/TestApp.ts"
import { askToLeave, comeBack, enterFrom, goElsewhere, keycloak, leave, offerAll, openid } from "./support.ts"

const state = { reason: "state" } as const
const wrong = { reason: "answer" } as const

const successes = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status === 200)

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a sign-in that was finished", (it) => {
  it.effect("is refused again, on another instance too, also where the provider takes its code again", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      yield* openid.misbehave({ lax: true })
      const elsewhere = yield* TestApp.UncachedClient
      const there = <A, E, R>(request: Effect.Effect<A, E, R>) =>
        Effect.provideService(request, HttpClient.HttpClient, elsewhere)
      const { kept, location } = yield* leave("oauth_oidc")
      const brought = openid.authorise(location, { sub: "1" })
      // Any instance takes who left from another.
      ok(yield* there(comeBack("oauth_oidc", brought, kept)))
      assertProblem(yield* comeBack("oauth_oidc", brought, kept), ElsewhereRefused, state)
      assertProblem(yield* there(comeBack("oauth_oidc", brought, kept)), ElsewhereRefused, state)
    })
  )

  it.effect("was finished once of fifty times at the same moment, whatever it does", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      yield* offerAll
      yield* openid.misbehave({ lax: true })
      const sql = yield* SqlClient.SqlClient
      // It signs up, then in; and it adds.
      for (const [sub, person] of [
        ["50", guest],
        ["50", guest],
        ["51", tyr]
      ] as const) {
        const { kept, location } = yield* leave("oauth_oidc", person)
        const brought = openid.authorise(location, { sub })
        const answers = yield* Effect.forEach(
          Array(50).keys(),
          () => comeBack("oauth_oidc", brought, kept, person),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(successes(answers), 1)
        for (const answer of answers)
          if (answer.status !== 200) assertProblem(answer, ElsewhereRefused, state)
        const rows = yield* sql`select from identities_elsewhere where subject = ${sub}`
        assert.lengthOf(rows, 1)
      }
    })
  )

  it.effect("makes one account of a person who signs up fifty times at the same moment", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const answers = yield* Effect.forEach(
        Array(50).keys(),
        () => goElsewhere(openid, { sub: "many", name: "Many" }),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(successes(answers), 50)
      assert.lengthOf(new Set(answers.map(({ json }) => json.id)), 1)
    })
  )

  it.effect("is refused where the account gives up what it signs in with at that moment", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const sub = "given-up"
      const { id } = yield* enterFrom(openid, { sub })
      const { kept, location } = yield* leave("oauth_oidc")
      const brought = openid.authorise(location, { sub })
      const sql = yield* SqlClient.SqlClient
      const signingIn = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`delete from identities_elsewhere where account_id = ${id}`
          const signingIn = yield* Effect.forkDetach(comeBack("oauth_oidc", brought, kept))
          yield* untilWaiting(1)
          return signingIn
        })
      )
      assertProblem(yield* Fiber.join(signingIn), ElsewhereRefused, state)
      assert.lengthOf(yield* sql`select from sessions where account_id = ${id}`, 1)
    })
  )

  it.effect("makes the network known to the account", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const { id } = yield* enterFrom(openid, { sub: "network" })
      const sql = yield* SqlClient.SqlClient
      const known = sql`select from password_attempts where account_id = ${id} and signed_in_at is not null`
      yield* sql`delete from password_attempts where account_id = ${id}`
      yield* enterFrom(openid, { sub: "network" })
      assert.lengthOf(yield* known, 1)
    })
  )

  it.effect("is forgotten an hour after it could be finished", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const sql = yield* SqlClient.SqlClient
      yield* enterFrom(openid, { sub: "forgotten" })
      const { forgetUsed } = yield* SealedStates
      yield* TestClock.adjust("69 minutes")
      yield* forgetUsed
      assert.isAbove((yield* sql`select from sealed_states_used`).length, 0)
      yield* TestClock.adjust("1 minute")
      yield* forgetUsed
      assert.lengthOf(yield* sql`select from sealed_states_used`, 0)
    })
  )
})

layer(People.layer)("a sign-in that has begun", (it) => {
  it.effect("is for ten minutes", () =>
    Effect.gen(function* () {
      yield* offerAll
      const [inTime, late] = [yield* leave("oauth_oidc"), yield* leave("oauth_oidc")]
      yield* TestClock.adjust("599 seconds")
      ok(yield* comeBack("oauth_oidc", openid.authorise(inTime.location, { sub: "1" }), inTime.kept))
      yield* TestClock.adjust("1 second")
      const answer = yield* comeBack("oauth_oidc", openid.authorise(late.location, { sub: "1" }), late.kept)
      assertProblem(answer, ElsewhereRefused, state)
    })
  )

  it.effect("is for the browser that began it, and needs what it keeps unchanged", () =>
    Effect.gen(function* () {
      yield* offerAll
      const { kept, location } = yield* leave("oauth_oidc")
      const brought = openid.authorise(location, { sub: "sealed" })
      const [text = "", seal = ""] = kept.split(".")
      const decoded = Buffer.from(text, "base64url").toString()
      const altered = (from: string | RegExp, to: string) =>
        `${Buffer.from(decoded.replace(from, to)).toString("base64url")}.${seal}`
      const all = [
        undefined,
        "",
        "x",
        text,
        `${text}.`,
        `.${seal}`,
        `${text}.${"A".repeat(43)}`,
        `${kept}x`,
        altered("oauth_oidc", "oauth_keycloak"),
        altered(/"expires":\d+/, '"expires":99999999999999'),
        altered(/^/, " "),
        (yield* leave("oauth_oidc")).kept,
        "a".repeat(3000)
      ]
      for (const one of all)
        assertProblem(yield* comeBack("oauth_oidc", brought, one), ElsewhereRefused, state)
      for (const other of ["", "x", "A".repeat(43), `${brought.state} `]) {
        const answer = yield* comeBack("oauth_oidc", { ...brought, state: other }, kept)
        assertProblem(answer, ElsewhereRefused, state)
      }
      // Nothing of this has used it up. Others may have set cookies of the same name.
      ok(yield* comeBack("oauth_oidc", brought, `x; forum-elsewhere=${kept}`))
    })
  )

  it.effect(
    "is for the account that was signed in, so that nobody adds what is theirs to that of another",
    () =>
      Effect.gen(function* () {
        const { freya, loki } = yield* Cast
        yield* offerAll
        for (const [began, finishes] of [
          [guest, freya],
          [loki, freya],
          [loki, guest]
        ] as const) {
          const { kept, location } = yield* leave("oauth_oidc", began)
          const brought = openid.authorise(location, { sub: "of-loki" })
          assertProblem(yield* comeBack("oauth_oidc", brought, kept, finishes), ElsewhereRefused, state)
          ok(yield* comeBack("oauth_oidc", brought, kept, began))
          yield* SqlClient.SqlClient.use((sql) => sql`delete from identities_elsewhere`)
        }
        assert.deepStrictEqual(ok(yield* freya.get("/accounts")).auth_services, ["password"])
      })
  )

  it.effect("is for the provider where it began", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const { kept, location } = yield* leave("oauth_oidc")
      const brought = openid.authorise(location, { sub: "mixed" })
      assertProblem(yield* comeBack("oauth_keycloak", brought, kept), ElsewhereRefused, state)
      // A code of one provider is worth nothing at another.
      const other = yield* leave("oauth_keycloak")
      const code = { code: brought.code, state: keycloak.authorise(other.location, { sub: "x" }).state }
      assertProblem(yield* comeBack("oauth_keycloak", code, other.kept), ElsewhereRefused, wrong)
      ok(yield* comeBack("oauth_oidc", brought, kept))
    })
  )
})

layer(People.layer)("the answer of a provider", (it) => {
  it.effect("is refused where it is not what was asked for", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const past = Math.floor(Date.now() / 1000) - 120
      for (const odd of [
        { token: { nonce: "n".repeat(43) } },
        { token: { nonce: undefined } },
        { token: { aud: "another-client" } },
        { token: { iss: "https://evil.test/" } },
        { token: { exp: past } },
        { token: { sub: "" } },
        { token: { sub: 7 } },
        { token: { sub: "s".repeat(256) } },
        { token: { sub: "s\0" } },
        { answer: { status: 200, body: "x" } },
        { answer: { status: 200, body: { access_token: "x", token_type: "Bearer" } } },
        { foreignKey: true }
      ]) {
        yield* openid.misbehave(odd)
        assertProblem(yield* goElsewhere(openid, { sub: "1" }), ElsewhereRefused, wrong)
      }
      yield* openid.misbehave({})
      const { kept, location } = yield* leave("oauth_oidc")
      const brought = openid.authorise(location, { sub: "1" })
      const guessed = yield* comeBack("oauth_oidc", { ...brought, code: "guessed" }, kept)
      assertProblem(guessed, ElsewhereRefused, wrong)
      // The code of a sign-in that another browser began has another verifier.
      const other = yield* leave("oauth_oidc")
      const mixed = { code: brought.code, state: openid.authorise(other.location, { sub: "2" }).state }
      assertProblem(yield* comeBack("oauth_oidc", mixed, other.kept), ElsewhereRefused, wrong)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from identities_elsewhere`, 0)
    })
  )

  it.effect("that is none says that the provider is unavailable", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const gone = { provider: "oauth_oidc" }
      for (const answer of [
        { status: 500, body: {} },
        { status: 401, body: { error: "invalid_client" } },
        { status: 302, body: {} }
      ]) {
        yield* openid.misbehave({ answer })
        assertProblem(yield* goElsewhere(openid, { sub: "1" }), ProviderUnavailable, gone)
      }
      yield* openid.vanish
      // What it told of itself is known for an hour.
      assertProblem(yield* goElsewhere(openid, { sub: "1" }), ProviderUnavailable, gone)
      yield* TestClock.adjust("1 hour")
      assertProblem(yield* askToLeave("oauth_oidc"), ProviderUnavailable, gone)
      yield* openid.appear
      // For a moment nobody waits for it again.
      assertProblem(yield* askToLeave("oauth_oidc"), ProviderUnavailable, gone)
      yield* TestClock.adjust("5 seconds")
      ok(yield* goElsewhere(openid, { sub: "1" }))
    })
  )

  it.effect("comes by the way of all requests that the service sends, and from nowhere else", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* Pages.clear
      const fresh = makeOpenId("oauth_oidc", "https://fresh.test/realm")
      yield* fresh.appear
      yield* Providers.offer(fresh.offered)
      ok(yield* goElsewhere(fresh, { sub: "1" }))
      assert.deepStrictEqual(Pages.asked, [
        "https://fresh.test/realm/.well-known/openid-configuration",
        "https://fresh.test/realm/token",
        "https://fresh.test/realm/keys"
      ])
      const impostor = makeOpenId("oauth_oidc", "https://impostor.test")
      yield* Providers.offer({ ...impostor.offered, issuer: "https://fresh.test/other" })
      assertProblem(yield* askToLeave("oauth_oidc"), ProviderUnavailable, { provider: "oauth_oidc" })
    })
  )
})

layer(People.layer)("what a browser brings back", (it) => {
  it.effect("has limits", () =>
    Effect.gen(function* () {
      yield* Cast
      yield* offerAll
      const send = (body: unknown) => guest.post("/auth/oauth/oauth_oidc/callback", body)
      assertInvalid(yield* send({}), "body state", "body code")
      assertInvalid(
        yield* send({ state: "s".repeat(1001), code: "c".repeat(4001) }),
        "body state",
        "body code"
      )
      const longest = yield* send({ state: "s".repeat(1000), code: "c".repeat(4000) })
      assertProblem(longest, ElsewhereRefused, state)
      assertInvalid(yield* guest.get("/auth/oauth/oauth_oidc/start?invitation_id=x"), "query invitation_id")
      assertInvalid(yield* guest.get(`/auth/oauth/${"x".repeat(101)}/start`), "path oauth_provider")
    })
  )
})
