/** Connecting a device on the page of the service. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ok } from "../support/answers.ts"
import { begin, createDeviceClient, poll } from "../support/devices.ts"
import * as People from "../support/people.ts"
import { Cast, grant, type Person, password } from "../support/people.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { makeVisitor, type Page, pageOf, textIn, type Visitor, wayOf } from "./visitor.ts"

const alone = People.withCast(TestApp.layerWhere({ webUrl: new URL("http://forum.test") }))

const path = "/oauth/consent"

const browserOf = (person: Person) => {
  const visitor = makeVisitor()
  visitor.cookies.set("forum-session", person.cookie ?? "")
  return visitor
}

/** A device that waits. */
const waiting = (scope = "openid CREATE_POST MANAGE_POSTS") =>
  Effect.gen(function* () {
    const { odin } = yield* Cast
    const { client_id, name } = yield* createDeviceClient(odin, odin)
    const device = yield* begin(client_id, scope)
    return { client_id, name, device, code: String(device.user_code) }
  })

/** Types a code on the page for it. */
const type = Effect.fnUntraced(function* (visitor: Visitor, code: string) {
  const answer = yield* visitor.submit(yield* visitor.open(path), { user_code: code })
  return pageOf(answer, `${path}?${new URLSearchParams({ user_code: code })}`)
})

const press = (visitor: Visitor, page: Page, decision: string, headers = {}) =>
  visitor.submit(page, { decision }, { headers })

layer(alone)("the page to connect a device", (it) => {
  it.effect("is found by a guest who signs in on the way, and connects the device", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* grant(freya, "USE_OAUTH_CLIENTS")
      const { client_id, code, device, name } = yield* waiting()
      const { pathname, search } = new URL(device.verification_uri_complete)
      const visitor = makeVisitor()
      assert.strictEqual(wayOf(yield* visitor.ask("GET", `${pathname}${search}`), pathname), "/login")
      const signedIn = yield* visitor.submit(yield* visitor.open("/login"), {
        identifier: "freya",
        password
      })
      const way = wayOf(signedIn, "/login")
      assert.strictEqual(way, `${pathname}${search}`)
      const page = yield* visitor.open(way)
      assert.deepStrictEqual(page.heading, ["Allow access?"])
      assert.include(page.text, `Does your device show this code? ${code}`)
      assert.include(page.text, `${name} wants to use your account.`)
      assert.deepStrictEqual(
        page.all("li").map((item) => textIn(item)),
        [
          "know which account is yours",
          "write threads and replies in your name",
          "change and delete the posts of others"
        ]
      )
      const done = pageOf(yield* press(visitor, page, "approve"), path)
      assert.strictEqual(done.answer.status, 200)
      assert.deepStrictEqual(done.heading, ["The device is connected"])
      assert.include(done.text, "You may close this page")
      assert.strictEqual(ok(yield* poll(client_id, device.device_code)).scope, "openid CREATE_POST")
    })
  )

  it.effect("takes a code as people type it, and says what is wrong with another", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { code } = yield* waiting()
      const visitor = browserOf(freya)
      const typed = ` ${code.toLowerCase().replace("-", "")} `
      assert.deepStrictEqual((yield* type(visitor, typed)).heading, ["Allow access?"])
      for (const wrong of ["AAAA-AAAA", "U", "<script>", "\u202e", "A".repeat(300)]) {
        const page = yield* type(visitor, wrong)
        assert.strictEqual(page.answer.status, 422)
        assert.deepStrictEqual(page.alerts, [
          "This code is wrong or no longer valid. Let the device show a new one."
        ])
        assert.strictEqual(page.forms[0]?.fields.user_code, wrong)
        assert.deepStrictEqual(page.all("script"), [])
      }
      assert.deepStrictEqual((yield* visitor.open(path)).alerts, [])
    })
  )

  it.effect("takes the first decision alone, and tells the device that was denied", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { client_id, code, device } = yield* waiting()
      const visitor = browserOf(freya)
      const page = yield* type(visitor, code)
      const denied = pageOf(yield* press(visitor, page, "deny"), path)
      assert.deepStrictEqual(denied.heading, ["The device was not connected"])
      assert.strictEqual((yield* poll(client_id, device.device_code)).json.error, "access_denied")
      for (const decision of ["approve", "deny"]) {
        assert.strictEqual((yield* press(visitor, page, decision)).status, 422)
      }
    })
  )

  it.effect("is for who has typed the code first", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* grant(loki, "USE_OAUTH_CLIENTS")
      const { code } = yield* waiting()
      const page = yield* type(browserOf(freya), code)
      const late = yield* type(browserOf(loki), code)
      assert.strictEqual(late.answer.status, 422)
      assert.match(late.alerts[0] ?? "", /^Another account has already used this code\./)
      assert.strictEqual((yield* press(browserOf(loki), page, "approve")).status, 422)
    })
  )

  it.effect("tells those who may not give programs access, before any code is looked for", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      const { code } = yield* waiting()
      for (const place of [path, `${path}?user_code=${code}`, `${path}?user_code=AAAA-AAAA`]) {
        const page = yield* browserOf(tyr).open(place)
        assert.strictEqual(page.answer.status, 403)
        assert.match(page.alerts[0] ?? "", /^Your account may not give programs access\./)
      }
    })
  )

  it.effect("takes no approval of those who may not give it any more, and lets them deny", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const role = yield* grant(tyr, "USE_OAUTH_CLIENTS")
      const { code } = yield* waiting()
      const visitor = browserOf(tyr)
      const page = yield* type(visitor, code)
      ok(yield* odin.patch(`/roles/${role}`, { permissions: [] }))
      const refused = pageOf(yield* press(visitor, page, "approve"), path)
      assert.strictEqual(refused.answer.status, 403)
      assert.match(refused.alerts[0] ?? "", /^Your account may not give programs access\./)
      const denied = pageOf(yield* press(visitor, page, "deny"), path)
      assert.deepStrictEqual(denied.heading, ["The device was not connected"])
    })
  )

  it.effect("has the limits of the API on wrong codes", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const visitor = browserOf(loki)
      for (let n = 0; n < 20; n++) yield* visitor.ask("GET", `${path}?user_code=AAAA-AAAA`)
      const page = yield* visitor.open(`${path}?user_code=AAAA-AAAA`)
      assert.strictEqual(page.answer.status, 429)
      assert.deepStrictEqual(page.heading, ["Too many attempts"])
      assert.isDefined(page.answer.headers["retry-after"])
      yield* TestClock.adjust("15 minutes")
    })
  )

  it.effect("is framed by nobody, and takes no decision from another page", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const { code } = yield* waiting()
      const visitor = browserOf(freya)
      const page = yield* type(visitor, code)
      const policy = (page.answer.headers["content-security-policy"] ?? "").split("; ")
      assert.include(policy, "form-action 'self' http://forum.test")
      assert.include(policy, "frame-ancestors 'none'")
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "cross-site" }
      ]) {
        assert.strictEqual((yield* press(visitor, page, "approve", headers)).status, 403)
      }
      assert.strictEqual((yield* press(visitor, page, "maybe")).status, 400)
      assert.strictEqual((yield* press(visitor, page, "approve")).status, 200)
    })
  )

  it.effect("speaks German", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const visitor = makeVisitor({ "accept-language": "de" })
      visitor.cookies.set("forum-session", freya.cookie ?? "")
      const page = yield* visitor.open(path)
      assert.strictEqual(page.language, "de")
      assert.deepStrictEqual(page.heading, ["Gerät verbinden"])
    })
  )
})

layer(TestApp.layer)("the page to connect a device where there is a frontend", (it) => {
  it.effect("is that of the frontend", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send({ path })).status, 404)
    })
  )
})
