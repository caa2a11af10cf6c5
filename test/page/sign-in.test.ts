/** Signing in on the page of the service. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { openid } from "../elsewhere/support.ts"
import { ok } from "../support/answers.ts"
import { addressOf, emailMember } from "../support/emails.ts"
import { password, personWith, reinstate, removePassword, signUp, suspend } from "../support/people.ts"
import * as Providers from "../support/providers.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { attribute, makeVisitor, type Page, pageOf, resolved, wayOf } from "./visitor.ts"

const alone = { webUrl: new URL("http://forum.test") }

const wrong = "not the password"

/** Asserts that a page says what is wrong, to all who read it in whichever way, and what it is about. */
const assertRefused = (page: Page, text: string, field?: string) => {
  assert.strictEqual(page.answer.status, 422, page.text)
  assert.deepStrictEqual(page.alerts, [text])
  assert.match(page.title, /^(Error|Fehler): /)
  const wrongs = page.all("input").filter((input) => attribute(input, "aria-invalid") === "true")
  assert.deepStrictEqual(
    wrongs.map((input) => attribute(input, "name")),
    field === undefined ? [] : [field]
  )
  for (const input of wrongs) {
    for (const id of (attribute(input, "aria-describedby") ?? assert.fail("not described")).split(" ")) {
      assert.isDefined(page.by(id), id)
    }
  }
  assert.isUndefined(page.answer.headers["set-cookie"])
}

layer(TestApp.layerWhere(alone))("the page to sign in", (it) => {
  it.effect("is a form that needs no script, with labels, in the look of the instance", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      ok(yield* odin.patch("/admin", { title: "<Valhalla> & \u202efriends", accent_colour: "gold" }))
      const page = yield* makeVisitor().open("/login")
      assert.strictEqual(page.answer.status, 200)
      assert.strictEqual(page.answer.headers["content-type"], "text/html; charset=utf-8")
      assert.strictEqual(page.title, "Sign in – <Valhalla> & friends")
      assert.deepStrictEqual(page.heading, ["Sign in"])
      assert.strictEqual(page.language, "en")
      assert.deepStrictEqual(page.all("script"), [])
      for (const input of page.all("input")) {
        const id = attribute(input, "id") ?? ""
        const labels = page.all("label").filter((label) => attribute(label, "for") === id)
        assert.lengthOf(labels, 1, id)
      }
      assert.deepStrictEqual(
        page.all("input").map((input) => [attribute(input, "name"), attribute(input, "autocomplete")]),
        [
          ["identifier", "username"],
          ["password", "current-password"]
        ]
      )
      assert.deepStrictEqual(page.alerts, [])
      // Gold is light, so the text on it is dark.
      assert.include(page.html, "--fill:#ffd700;--on-fill:#000000")
      for (const [, link = ""] of page.html.matchAll(/(?:src|href)="([^"]+)"/g)) {
        assert.strictEqual(
          (yield* send({ path: new URL(link, "http://forum.test/login").pathname })).status,
          200
        )
      }
      ok(yield* odin.patch("/admin", { title: "Asgard", accent_colour: "#2f6f5e" }))
    })
  )

  it.effect("is framed by nobody, kept by nothing, and loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const page = yield* makeVisitor().open("/login")
      const { headers } = page.answer
      const policy = headers["content-security-policy"] ?? ""
      for (const part of [
        "default-src 'none'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'self' http://forum.test",
        "frame-ancestors 'none'"
      ]) {
        assert.include(policy.split("; "), part)
      }
      assert.match(policy, /style-src 'sha256-[A-Za-z0-9+/]{43}='/)
      assert.notMatch(policy, /unsafe|script-src|\*/)
      assert.notMatch(page.html, / style=| on[a-z]+=/)
      assert.strictEqual(headers["x-frame-options"], "DENY")
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.strictEqual(headers["referrer-policy"], "same-origin")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.match(headers.vary ?? "", /Accept-Language/)
    })
  )

  it.effect("speaks the language that the browser prefers", () =>
    Effect.gen(function* () {
      const page = yield* makeVisitor({ "accept-language": "de-AT, en;q=0.5" }).open("/login")
      assert.strictEqual(page.language, "de")
      assert.strictEqual(page.answer.headers["content-language"], "de")
      assert.strictEqual(page.title, "Anmelden – Asgard")
      assert.include(page.text, "Passwort")
    })
  )

  it.effect("signs in by handle and password, and then says who is signed in, and signs out", () =>
    Effect.gen(function* () {
      const visitor = makeVisitor()
      const form = yield* visitor.open("/login")
      const answer = yield* visitor.submit(form, { identifier: " Odin ", password })
      assert.strictEqual(answer.status, 303)
      assert.strictEqual(wayOf(answer, "/login"), "/login")
      assert.match(
        answer.headers["set-cookie"] ?? "",
        /^forum-session=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/
      )
      const cookie = visitor.cookies.get("forum-session")
      assert.strictEqual(ok(yield* personWith(cookie, "").get("/accounts")).handle, "odin")
      const page = yield* visitor.open("/login")
      assert.deepStrictEqual(page.heading, ["You are signed in"])
      assert.include(page.text, "signed in as odin")
      const out = yield* visitor.submit(page)
      assert.strictEqual(out.status, 302)
      assert.strictEqual((yield* personWith(cookie, "").get("/accounts")).status, 401)
      assert.deepStrictEqual((yield* visitor.open("/login")).heading, ["Sign in"])
    })
  )

  it.effect("signs in by email address and password, where mail is sent", () =>
    Effect.gen(function* () {
      yield* emailMember("mimir")
      const visitor = makeVisitor()
      const form = yield* visitor.open("/login")
      assert.include(form.text, "Handle or email address")
      const answer = yield* visitor.submit(form, { identifier: addressOf("mimir").toUpperCase(), password })
      assert.strictEqual(answer.status, 303)
      assert.isTrue(visitor.cookies.has("forum-session"))
    })
  )

  it.effect("says what is wrong, keeps what was entered but the password, and signs nobody in", () =>
    Effect.gen(function* () {
      const tyr = yield* signUp("tyr")
      const loki = yield* signUp("loki")
      yield* removePassword(loki)
      const visitor = makeVisitor()
      const form = yield* visitor.open("/login")
      const attempts: ReadonlyArray<
        readonly [identifier: string, password: string, text: string, field?: string]
      > = [
        ["", "", "Enter your handle.", "identifier"],
        ["odin", "", "Enter your password.", "password"],
        ["nobody", password, "No account has this handle.", "identifier"],
        ["no\u0000body", password, "No account has this handle.", "identifier"],
        ["a".repeat(1001), password, "No account has this handle.", "identifier"],
        ["odin", wrong, "The password is wrong.", "password"],
        ["odin", "short", "The password is wrong.", "password"],
        ["odin", "a".repeat(10_001), "The password is wrong.", "password"],
        ["nobody@asgard.example", password, "No account has this email address.", "identifier"],
        ["mimir@", password, "No account has this email address.", "identifier"],
        ["mimir@asgard.example", wrong, "The password is wrong.", "password"],
        ["loki", password, "This account has no password. Sign in in another way."]
      ]
      for (const [identifier, token, text, field] of attempts) {
        const answer = yield* visitor.submit(form, { identifier, password: token })
        const page = pageOf(answer, "/login")
        assertRefused(page, text, field)
        assert.strictEqual(page.forms[0]?.fields.identifier, identifier.replace("\u0000", "\uFFFD"))
        assert.strictEqual(page.forms[0]?.fields.password, "")
      }
      yield* suspend(tyr)
      const answer = yield* visitor.submit(form, { identifier: "tyr", password })
      assertRefused(pageOf(answer, "/login"), "This account is suspended and cannot sign in.")
      yield* reinstate(tyr)
    })
  )

  it.effect("shows what was entered as text, whatever it is", () =>
    Effect.gen(function* () {
      const visitor = makeVisitor()
      const identifier = `"><script>alert(1)</script><b onclick='x'>\u202e`
      const page = pageOf(
        yield* visitor.submit(yield* visitor.open("/login"), { identifier, password }),
        "/login"
      )
      assert.deepStrictEqual(page.all("script"), [])
      assert.deepStrictEqual(page.all("b"), [])
      assert.strictEqual(page.forms[0]?.fields.identifier, identifier)
    })
  )

  it.effect("tells people whose account was suspended, and lets them sign out", () =>
    Effect.gen(function* () {
      const visitor = makeVisitor()
      const hel = yield* signUp("hel")
      visitor.cookies.set("forum-session", hel.cookie ?? "")
      yield* suspend(hel)
      const page = yield* visitor.open("/login")
      assert.strictEqual(page.answer.status, 403)
      assert.deepStrictEqual(page.heading, ["Your account is suspended"])
      assert.strictEqual((yield* visitor.submit(page)).status, 302)
      assert.isFalse(visitor.cookies.has("forum-session"))
    })
  )

  it.effect("has the limits of the API on wrong passwords", () =>
    Effect.gen(function* () {
      yield* signUp("freya")
      const visitor = makeVisitor()
      const form = yield* visitor.open("/login")
      const attempt = (token: string) => visitor.submit(form, { identifier: "freya", password: token })
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* attempt(wrong)).status, 422)
      const answer = yield* attempt(password)
      const page = pageOf(answer, "/login")
      assert.strictEqual(answer.status, 429)
      assert.strictEqual(answer.headers["retry-after"], "900")
      assert.deepStrictEqual(page.heading, ["Too many attempts"])
      assert.deepStrictEqual(page.alerts, ["Try again in 15 minutes."])
      const api = yield* personWith(undefined, "").post("/auth/password/signin", {
        identifier: "freya",
        token: password
      })
      assert.strictEqual(api.status, 429)
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* attempt(password)).status, 303)
    })
  )

  it.effect("takes forms of its own pages and of programs, and of no other page", () =>
    Effect.gen(function* () {
      const visitor = makeVisitor()
      const form = yield* visitor.open("/login")
      const by = (headers: Readonly<Record<string, string>>) =>
        visitor.submit(form, { identifier: "odin", password }, { headers })
      for (const headers of [
        { origin: "http://forum.test" },
        { origin: "http://forum.test", "sec-fetch-site": "same-origin" },
        { origin: "http://10.0.0.1:8000", "sec-fetch-site": "same-origin" },
        { origin: "http://forum.test", "sec-fetch-site": "none" }
      ]) {
        assert.strictEqual((yield* by(headers)).status, 303, JSON.stringify(headers))
      }
      const fromProgram = yield* visitor.ask("POST", "/login", `identifier=odin&password=${password}`)
      assert.strictEqual(fromProgram.status, 303)
      visitor.cookies.clear()
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        // Those may use the API, and send no forms.
        { origin: "https://app.forum.test" },
        { origin: "http://forum.test:8080" },
        { origin: "http://forum.test", "sec-fetch-site": "cross-site" },
        { origin: "http://forum.test", "sec-fetch-site": "same-site" },
        { origin: "http://www.forum.test", "sec-fetch-site": "same-site" }
      ]) {
        const answer = yield* by(headers)
        assert.strictEqual(answer.status, 403, JSON.stringify(headers))
        assert.isFalse(visitor.cookies.has("forum-session"))
      }
    })
  )

  it.effect("reads forms alone: of bounded size, with each field once", () =>
    Effect.gen(function* () {
      const visitor = makeVisitor()
      const fields = "identifier=odin&password=correct+horse+battery"
      const attempts: ReadonlyArray<readonly [body: string, type: string, status: number]> = [
        [fields, "application/x-www-form-urlencoded; charset=UTF-8", 303],
        [JSON.stringify({ identifier: "odin", password }), "application/json", 415],
        [fields, "text/plain", 415],
        [fields, "multipart/form-data; boundary=x", 415],
        [`${fields}&identifier=loki`, "application/x-www-form-urlencoded", 400],
        ["", "application/x-www-form-urlencoded", 422],
        [`${fields}&more=${"a".repeat(128 * 1024)}`, "application/x-www-form-urlencoded", 413],
        ["identifier=%zz&password=%ff", "application/x-www-form-urlencoded", 422]
      ]
      for (const [body, type, status] of attempts) {
        const answer = yield* visitor.ask("POST", "/login", body, { "content-type": type })
        assert.strictEqual(answer.status, status, `${type} ${body.slice(0, 80)}`)
        // Only programs send what no form is.
        if (status !== 303 && status !== 415) assert.lengthOf(pageOf(answer, "/login").alerts, 1)
      }
      const put = yield* visitor.ask("PUT", "/login")
      assert.strictEqual(put.status, 405)
      assert.strictEqual(put.headers.allow, "GET, HEAD, POST, OPTIONS")
      assert.strictEqual((yield* visitor.ask("HEAD", "/login")).status, 200)
    })
  )

  it.effect("offers accounts elsewhere, where the operator has set some", () =>
    Effect.gen(function* () {
      yield* openid.appear
      yield* Providers.offer({ ...openid.offered, name: "Val<halla>" })
      const page = yield* makeVisitor().open("/login")
      assert.deepStrictEqual(page.links, [
        { text: "Sign in with Val<halla>", href: "http://forum.test/api/auth/oauth/oauth_oidc/start" }
      ])
      yield* Providers.offer()
      assert.deepStrictEqual((yield* makeVisitor().open("/login")).links, [])
    })
  )
})

layer(TestApp.layerWhere(alone))("where people go who have signed in", (it) => {
  it.effect("is where they wanted to go, once, also below the path of a proxy", () =>
    Effect.gen(function* () {
      yield* signUp("odin")
      const wanted = "/api/oauth/authorize?client_id=a&redirect_uri=https%3A%2F%2Fx.example%2F%3Fa%3Db"
      const visitor = makeVisitor()
      visitor.cookies.set("forum-return", encodeURIComponent(wanted))
      const answer = yield* visitor.submit(yield* visitor.open("/login"), { identifier: "odin", password })
      assert.strictEqual(wayOf(answer, "/login"), wanted)
      assert.strictEqual(wayOf(answer, "/hall/login"), `/hall${wanted}`)
      assert.isFalse(visitor.cookies.has("forum-return"))
      // Who is signed in already, such as in another tab or by another service, goes on at once.
      visitor.cookies.set("forum-return", "/oauth/consent?user_code=AAAA-BBBB")
      const next = yield* visitor.ask("GET", "/login")
      assert.strictEqual(wayOf(next, "/login"), "/oauth/consent?user_code=AAAA-BBBB")
      assert.isFalse(visitor.cookies.has("forum-return"))
      assert.deepStrictEqual((yield* visitor.open("/login")).heading, ["You are signed in"])
    })
  )

  it.effect("is found from an address that ends in a slash as well", () =>
    Effect.gen(function* () {
      const page = yield* makeVisitor().open("/login/")
      assert.strictEqual(resolved(page.forms[0]?.action ?? "", page.path), "/login")
      assert.strictEqual(
        resolved(attribute(page.all("img")[0] ?? assert.fail(), "src") ?? "", page.path).slice(0, 15),
        "/api/info/icon/"
      )
    })
  )

  it.effect("is never elsewhere, whatever a cookie says", () =>
    Effect.gen(function* () {
      for (const kept of [
        "https://evil.example/",
        "//evil.example/",
        "%2F%2Fevil.example%2F",
        "/%5Cevil.example",
        "/\\evil.example",
        "%2F%09%2Fevil.example",
        "javascript:alert(1)",
        "%0d%0alocation:%20https://evil.example",
        "/a%0d%0aset-cookie:%20a=b",
        "%",
        "evil.example",
        "/%2e%2e//evil.example",
        `/${"a".repeat(5000)}`
      ]) {
        const visitor = makeVisitor()
        const page = yield* visitor.open("/login")
        visitor.cookies.set("forum-return", kept)
        const answer = yield* visitor.submit(page, { identifier: "odin", password })
        const { location = "" } = answer.headers
        assert.strictEqual(answer.status, 303)
        assert.strictEqual(new URL(location, "http://forum.test/login").host, "forum.test", kept)
        assert.notMatch(location, /[\r\n]|^\/\/|^[a-z]+:/i)
        assert.notMatch(answer.headers["set-cookie"] ?? "", /a=b/)
      }
    })
  )
})

layer(TestApp.layer)("the page to sign in where there is a frontend", (it) => {
  it.effect("is that of the frontend", () =>
    Effect.gen(function* () {
      for (const path of ["/login", "/login/code"]) {
        for (const method of ["GET", "POST", "OPTIONS"]) {
          assert.strictEqual((yield* send({ method, path })).status, 404, `${method} ${path}`)
        }
      }
    })
  )
})
