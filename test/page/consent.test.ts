/** Deciding on the page of the service about a program that sent the browser there. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sourcesOf } from "../../src/http/page/AuthorisationPages.ts"
import { ok } from "../support/answers.ts"
import { authorisation, exchange, redirectUri } from "../support/authorisations.ts"
import { administrative, createClient } from "../support/clients.ts"
import * as People from "../support/people.ts"
import { Cast, grant, type Person, password, reinstate, suspend } from "../support/people.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { attribute, makeVisitor, type Page, pageOf, textIn, type Visitor, wayOf } from "./visitor.ts"

const alone = People.withCast(TestApp.layerWhere({ webUrl: new URL("http://forum.test") }))

const path = "/oauth/authorize/consent"
const scope = "openid CREATE_POST MANAGE_POSTS"

const program = (more: Readonly<Record<string, unknown>> = {}) =>
  Effect.flatMap(Cast, ({ odin }) =>
    createClient(odin, odin, { allowed_scopes: ["openid", "CREATE_POST", "MANAGE_POSTS"], ...more })
  )

const browserOf = (person: Person) => {
  const visitor = makeVisitor()
  visitor.cookies.set("forum-session", person.cookie ?? "")
  return visitor
}

/** Comes from a program, and opens the page to decide on. */
const arrive = Effect.fnUntraced(function* (
  visitor: Visitor,
  id: string,
  more: Readonly<Record<string, string>> = {}
) {
  const from = `/api${authorisation(id, { scope, ...more })}`
  return yield* visitor.open(wayOf(yield* visitor.ask("GET", from), from))
})

const press = (visitor: Visitor, page: Page, decision: string, headers = {}) =>
  visitor.submit(page, { decision }, { headers })

layer(alone)("the page to decide about a program", (it) => {
  it.effect("is found by a guest who signs in on the way, and leads back with a code", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* grant(freya, "USE_OAUTH_CLIENTS")
      const { client_id, name } = yield* program()
      const visitor = makeVisitor()
      const from = `/api${authorisation(client_id, { scope })}`
      const signIn = wayOf(yield* visitor.ask("GET", from), from)
      assert.strictEqual(signIn, "/login")
      const signedIn = yield* visitor.submit(yield* visitor.open(signIn), { identifier: "freya", password })
      const back = wayOf(signedIn, signIn)
      assert.strictEqual(back, from)
      const way = wayOf(yield* visitor.ask("GET", back), back)
      const page = yield* visitor.open(way)
      assert.strictEqual(page.answer.status, 200)
      assert.deepStrictEqual(page.heading, ["Allow access?"])
      assert.include(page.text, `${name} wants to use your account.`)
      assert.include(page.text, redirectUri)
      assert.include(page.text, "signed in as freya")
      assert.deepStrictEqual(
        page.all("li").map((item) => textIn(item)),
        [
          "know which account is yours",
          "write threads and replies in your name",
          "change and delete the posts of others"
        ]
      )
      assert.include(page.text, "does not get them")
      const done = yield* press(visitor, page, "approve")
      assert.strictEqual(done.status, 303)
      const location = new URL(done.headers.location ?? "")
      assert.strictEqual(`${location.origin}${location.pathname}`, redirectUri)
      assert.strictEqual(location.searchParams.get("state"), "harbour")
      assert.strictEqual(location.searchParams.get("iss"), "http://forum.test")
      const issued = ok(yield* exchange(client_id, location.searchParams.get("code") ?? ""))
      assert.strictEqual(issued.scope, "openid CREATE_POST")
    })
  )

  it.effect("takes the first decision alone, and leads back with a refusal", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client_id } = yield* program()
      const visitor = browserOf(freya)
      const page = yield* arrive(visitor, client_id)
      const denied = yield* press(visitor, page, "deny")
      assert.strictEqual(denied.status, 303)
      assert.strictEqual(new URL(denied.headers.location ?? "").searchParams.get("error"), "access_denied")
      for (const decision of ["approve", "deny"]) {
        const late = pageOf(yield* press(visitor, page, decision), path)
        assert.strictEqual(late.answer.status, 422)
        assert.match(late.alerts[0] ?? "", /^This request is no longer valid\./)
        assert.isUndefined(late.answer.headers.location)
      }
    })
  )

  it.effect("decides under fifty requests at the same time once", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client_id } = yield* program()
      const visitor = browserOf(freya)
      const page = yield* arrive(visitor, client_id)
      const answers = yield* Effect.forEach(Array(50).fill("approve"), (one) => press(visitor, page, one), {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        answers.filter(({ status }) => status === 303),
        1
      )
    })
  )

  it.effect("shows nothing of the questions of others, of unknown ones and of those that have expired", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* grant(loki, "USE_OAUTH_CLIENTS")
      const { client_id } = yield* program()
      const page = yield* arrive(browserOf(freya), client_id)
      const { request_id = "" } = page.forms[0]?.fields ?? {}
      yield* TestClock.adjust("1 millis")
      const places = [path, `${path}?request_id=`, `${path}?request_id=${"a".repeat(43)}`, page.path]
      for (const place of places) {
        const seen = yield* browserOf(loki).open(place)
        assert.strictEqual(seen.answer.status, 422, place)
        assert.deepStrictEqual(seen.heading, ["This is not possible"])
        assert.match(seen.alerts[0] ?? "", /^This request is no longer valid\./)
        assert.notInclude(seen.text, "wants to use")
      }
      const stolen = yield* press(browserOf(loki), page, "approve")
      assert.strictEqual(stolen.status, 422)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(
        (yield* browserOf(freya).open(`${path}?request_id=${request_id}`)).answer.status,
        422
      )
    })
  )

  it.effect("tells those who may not give programs access", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const role = yield* grant(tyr, "USE_OAUTH_CLIENTS")
      const { client_id } = yield* program()
      const visitor = browserOf(tyr)
      const page = yield* arrive(visitor, client_id)
      ok(yield* odin.patch(`/roles/${role}`, { permissions: [] }))
      const seen = yield* visitor.open(page.path)
      assert.strictEqual(seen.answer.status, 403)
      assert.match(seen.alerts[0] ?? "", /^Your account may not give programs access\./)
      assert.strictEqual((yield* press(visitor, page, "approve")).status, 403)
      assert.strictEqual((yield* press(visitor, page, "deny")).status, 303)
    })
  )

  it.effect("tells that a program was deleted meanwhile", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const { client_id, id } = yield* program()
      const visitor = browserOf(freya)
      const page = yield* arrive(visitor, client_id)
      assert.strictEqual((yield* odin.delete(`${administrative}/${id}`)).status, 204)
      assert.strictEqual((yield* visitor.open(page.path)).answer.status, 422)
      assert.strictEqual((yield* press(visitor, page, "approve")).status, 422)
    })
  )

  it.effect("asks people to sign in who no longer are, and to come back", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client_id } = yield* program()
      const visitor = browserOf(freya)
      const page = yield* arrive(visitor, client_id)
      visitor.cookies.delete("forum-session")
      const answer = yield* press(visitor, page, "approve")
      assert.strictEqual(wayOf(answer, path), "/login")
      assert.strictEqual(decodeURIComponent(visitor.cookies.get("forum-return") ?? ""), page.path)
      // A bearer is for programs, not for pages.
      const byBearer = yield* visitor.ask("GET", page.path, undefined, {
        authorization: `Bearer ${freya.cookie}`
      })
      assert.strictEqual(wayOf(byBearer, page.path), "/login")
    })
  )

  it.effect("is refused to suspended accounts", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* suspend(loki)
      const seen = yield* browserOf(loki).open(`${path}?request_id=a`)
      assert.strictEqual(seen.answer.status, 403)
      assert.deepStrictEqual(seen.heading, ["Your account is suspended"])
      yield* reinstate(loki)
    })
  )

  it.effect("is framed by nobody, and lets its form lead to the program and nowhere without https", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const uris = [
        redirectUri,
        "http://127.0.0.1/callback",
        "http://[::1]/callback",
        "com.example.app:/callback"
      ]
      const { client_id } = yield* program({ redirect_uris: uris })
      for (const [redirect_uri, source] of [
        [redirectUri, "https://archive.example"],
        ["http://127.0.0.1:51004/callback", "http://127.0.0.1:51004"],
        ["http://[::1]:51004/callback", "http:"],
        ["com.example.app:/callback", "com.example.app:"]
      ] as const) {
        const page = yield* arrive(browserOf(freya), client_id, { redirect_uri })
        const policy = (page.answer.headers["content-security-policy"] ?? "").split("; ")
        assert.include(policy, `form-action 'self' http://forum.test https: ${source}`)
        assert.include(policy, "frame-ancestors 'none'")
        assert.include(policy, "default-src 'none'")
        assert.strictEqual(page.answer.headers["x-frame-options"], "DENY")
        assert.strictEqual(page.answer.headers["cache-control"], "no-store")
        const [place] = page.all("p").filter((one) => /\baddress\b/.test(attribute(one, "class") ?? ""))
        assert.strictEqual(place === undefined ? "" : textIn(place), redirect_uri)
      }
      assert.deepStrictEqual(sourcesOf("not an address"), [])
    })
  )

  it.effect("takes no decision from another page", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client_id } = yield* program()
      const visitor = browserOf(freya)
      const page = yield* arrive(visitor, client_id)
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "https://app.forum.test" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "cross-site" }
      ]) {
        assert.strictEqual((yield* press(visitor, page, "approve", headers)).status, 403)
      }
      for (const decision of ["", "APPROVE", "yes"]) {
        assert.strictEqual((yield* press(visitor, page, decision)).status, 400)
      }
      // It is still to be decided.
      assert.strictEqual((yield* press(visitor, page, "approve")).status, 303)
    })
  )
})

layer(TestApp.layer)("the page to decide about a program where there is a frontend", (it) => {
  it.effect("is that of the frontend", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send({ path })).status, 404)
    })
  )
})
