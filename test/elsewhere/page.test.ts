/** The page to come back to, where there is no frontend. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeVisitor, type Visitor, wayOf } from "../page/visitor.ts"
import { ok } from "../support/answers.ts"
import { call, personWith, reinstate, signUp, suspend } from "../support/people.ts"
import * as Providers from "../support/providers.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { google, keycloak, offerAll, openid } from "./support.ts"

const path = "/auth/oauth_oidc/callback"

const leave = (visitor: Visitor) =>
  Effect.map(visitor.ask("GET", "/api/auth/oauth/oauth_oidc/start"), ({ headers }) => headers.location ?? "")

const back = (brought: Readonly<Record<string, string>>, to = path) => `${to}?${new URLSearchParams(brought)}`

const notBegun = "You have begun in another browser, or too long ago. Begin again."
const denied = "The other service does not say who you are. Begin again."

const same = { webUrl: new URL("http://forum.test") }

layer(TestApp.layerWhere(same))("the page to come back to without a frontend", (it) => {
  it.effect("signs up and in, without a script, and goes on to where people wanted to go", () =>
    Effect.gen(function* () {
      yield* offerAll
      for (const [kept, way] of [
        [undefined, "/login"],
        ["/oauth/consent?user_code=AAAA-BBBB", "/oauth/consent?user_code=AAAA-BBBB"]
      ] as const) {
        const visitor = makeVisitor()
        const brought = openid.authorise(yield* leave(visitor), { sub: "1", preferred_username: "odin" })
        if (kept !== undefined) visitor.cookies.set("forum-return", kept)
        const answer = yield* visitor.ask("GET", back({ ...brought, session_state: "x" }))
        assert.strictEqual(wayOf(answer, path), way)
        assert.strictEqual(wayOf(answer, `/hall${path}`), `/hall${way}`)
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        assert.strictEqual(answer.text, "")
        const odin = personWith(visitor.cookies.get("forum-session"), "")
        assert.strictEqual(ok(yield* odin.get("/accounts")).handle, "odin")
        assert.isFalse(visitor.cookies.has("forum-return"))
      }
    })
  )

  it.effect("adds the account there to that of who is signed in", () =>
    Effect.gen(function* () {
      yield* offerAll
      const { cookie = "" } = yield* signUp("freya")
      const visitor = makeVisitor()
      visitor.cookies.set("forum-session", cookie)
      const brought = openid.authorise(yield* leave(visitor), { sub: "2" })
      assert.strictEqual(wayOf(yield* visitor.ask("GET", back(brought)), path), "/login")
      const freya = personWith(visitor.cookies.get("forum-session"), "")
      assert.deepInclude(ok(yield* freya.get("/accounts")), { handle: "freya" })
      assert.include(ok(yield* freya.get("/accounts")).auth_services, "oauth_oidc")
      // Another one cannot have it as well.
      const other = makeVisitor()
      other.cookies.set("forum-session", (yield* signUp("loki")).cookie ?? "")
      const taken = openid.authorise(yield* leave(other), { sub: "2" })
      const page = yield* other.open(back(taken))
      assert.strictEqual(page.answer.status, 409)
      assert.deepStrictEqual(page.alerts, ["Another account here signs in with this account already."])
    })
  )

  it.effect("takes what this browser has begun, for this provider and session, once", () =>
    Effect.gen(function* () {
      yield* offerAll
      const visitor = makeVisitor()
      const brought = openid.authorise(yield* leave(visitor), { sub: "3", preferred_username: "hel" })
      const attempts: ReadonlyArray<readonly [Visitor, string]> = [
        // Somebody else may have made the browser come here.
        [makeVisitor(), back(brought)],
        [visitor, back({ ...brought, state: "x" })],
        [visitor, back({ code: "x" })],
        [visitor, back({ ...brought, state: "x".repeat(1001) })],
        [visitor, back({ ...brought, code: "x".repeat(4001) })],
        [visitor, back(brought, "/auth/oauth_google/callback")]
      ]
      for (const [browser, address] of attempts) {
        const page = yield* browser.open(address)
        assert.strictEqual(page.answer.status, 401, address)
        assert.deepStrictEqual(page.heading, ["You were not signed in"])
        assert.deepStrictEqual(page.alerts, [notBegun])
        assert.isFalse(browser.cookies.has("forum-session"))
      }
      const signedIn = makeVisitor()
      for (const [name, value] of visitor.cookies) signedIn.cookies.set(name, value)
      signedIn.cookies.set("forum-session", (yield* signUp("ran")).cookie ?? "")
      assert.deepStrictEqual((yield* signedIn.open(back(brought))).alerts, [notBegun])
      assert.strictEqual(wayOf(yield* visitor.ask("GET", back(brought)), path), "/login")
      visitor.cookies.delete("forum-session")
      assert.strictEqual((yield* visitor.open(back(brought))).answer.status, 401)
    })
  )

  it.effect("says why somebody is not signed in, in their language, and leads to other ways", () =>
    Effect.gen(function* () {
      yield* offerAll
      const visitor = makeVisitor()
      const refusals: ReadonlyArray<readonly [string, number, string]> = [
        [back({ error: "access_denied", state: "x" }), 401, denied],
        [back({ state: "x", code: "" }), 401, denied],
        [
          back({ state: "x", code: "c" }, "/auth/oauth_github/callback"),
          400,
          "Nobody signs in here with this service."
        ],
        [
          back({ state: "x", code: "c" }, "/auth/x%3Cb%3E/callback"),
          400,
          "Nobody signs in here with this service."
        ]
      ]
      for (const [address, status, text] of refusals) {
        const page = yield* visitor.open(address)
        assert.strictEqual(page.answer.status, status, address)
        assert.deepStrictEqual(page.alerts, [text])
        assert.deepStrictEqual(
          page.links.map(({ href }) => href),
          ["../../login"]
        )
        assert.deepStrictEqual([page.all("script"), page.all("b")], [[], []])
        assert.notInclude(page.answer.headers["content-security-policy"] ?? "", "script")
        assert.include(page.answer.headers["content-security-policy"] ?? "", "default-src 'none'")
      }
      const german = yield* makeVisitor({ "accept-language": "de" }).open(path)
      assert.deepStrictEqual(german.heading, ["Die Anmeldung ist nicht gelungen"])
      // The code is wrong.
      yield* leave(visitor)
      const location = new URL(yield* leave(visitor))
      const wrong = back({ state: location.searchParams.get("state") ?? "", code: "x" })
      assert.deepStrictEqual((yield* visitor.open(wrong)).alerts, [denied])
      const odin = makeVisitor()
      const brought = openid.authorise(yield* leave(odin), { sub: "1" })
      yield* odin.ask("GET", back(brought))
      const administrator = personWith(odin.cookies.get("forum-session"), "")
      ok(yield* administrator.patch("/admin", { registration_mode: "disabled" }))
      const stranger = makeVisitor()
      const closed = yield* stranger.open(back(openid.authorise(yield* leave(stranger), { sub: "9" })))
      assert.strictEqual(closed.answer.status, 403)
      assert.match(closed.alerts[0] ?? "", /^You have no account here yet/)
      ok(yield* administrator.patch("/admin", { registration_mode: "public" }))
    })
  )

  it.effect("is not for who is suspended, and not while the provider is away", () =>
    Effect.gen(function* () {
      yield* offerAll
      const first = makeVisitor()
      yield* first.ask(
        "GET",
        back(openid.authorise(yield* leave(first), { sub: "5", preferred_username: "tyr" }))
      )
      const account = ok(yield* personWith(first.cookies.get("forum-session"), "").get("/accounts"))
      const tyr = { ...personWith(first.cookies.get("forum-session"), account.id), handle: "tyr" }
      yield* suspend(tyr)
      const again = makeVisitor()
      const page = yield* again.open(back(openid.authorise(yield* leave(again), { sub: "5" })))
      assert.strictEqual(page.answer.status, 403)
      assert.deepStrictEqual(page.alerts, ["This account is suspended and cannot sign in."])
      yield* reinstate(tyr)
      yield* Providers.offer(google.offered, keycloak.offered, openid.offered)
      const left = makeVisitor()
      const brought = openid.authorise(yield* leave(left), { sub: "5" })
      yield* openid.misbehave({ answer: { status: 500, body: {} } })
      const away = yield* left.open(back(brought))
      assert.strictEqual(away.answer.status, 502)
      assert.deepStrictEqual(away.alerts, [
        "The other service does not answer as it should. Try again later."
      ])
      yield* openid.appear
    })
  )

  it.effect("takes nothing but reads", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send({ method: "POST", path: back({ state: "x", code: "x" }) })).status, 405)
    })
  )
})

layer(TestApp.layer)("the page to come back to with a frontend", (it) => {
  it.effect("is that of the frontend", () =>
    Effect.gen(function* () {
      const answer = yield* call("GET", `${path}?state=s&code=c`)
      assert.strictEqual(answer.status, 302)
      assert.strictEqual(answer.headers.location, "http://www.forum.test")
      assert.strictEqual(answer.headers["referrer-policy"], "no-referrer")
    })
  )
})
