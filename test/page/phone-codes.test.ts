/** Signing in on pages with a code that is sent by text message. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { askForCode, codeTo, forgetTexts, lastTextTo, phoneMember, textsTo } from "../phone/support.ts"
import { ok } from "../support/answers.ts"
import { personWith, reinstate, signUp, suspend } from "../support/people.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { attribute, makeVisitor, pageOf, wayOf } from "./visitor.ts"

const alone = { webUrl: new URL("http://forum.test") }

const codes = "/login/phone"
const check = `${codes}/check`

const number = (n: number) => `+4915120009${String(n).padStart(2, "0")}`

/** Asks on the page for a code, and opens the page to enter it on. */
const askedFor = Effect.fnUntraced(function* (identifier: string, phone_number: string) {
  const visitor = makeVisitor()
  const answer = yield* visitor.submit(yield* visitor.open(codes), { identifier, phone_number })
  return { visitor, page: pageOf(answer, codes) }
})

layer(TestApp.layerWhere(alone))("the page to get a code by text message on", (it) => {
  it.effect("is there once accounts sign in with codes by phone", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const visitor = makeVisitor()
      const leavesAlone = Effect.gen(function* () {
        assert.notInclude((yield* visitor.open("/login")).text, "Get a code by text message")
        for (const path of [codes, check]) {
          assert.match(wayOf(yield* visitor.ask("GET", path), path), /^\/login/)
          const answer = yield* visitor.ask("POST", path, "identifier=odin&phone_number=%2B491512000900")
          assert.strictEqual(wayOf(answer, path), "/login")
        }
      })
      yield* leavesAlone
      ok(yield* odin.patch("/admin", { authentication_mode: "email" }))
      yield* leavesAlone
      ok(yield* odin.patch("/admin", { authentication_mode: "phone" }))
      assert.deepStrictEqual((yield* visitor.open("/login")).links, [
        { text: "Get a code by text message", href: "./login/phone" }
      ])
      const page = yield* visitor.open(codes)
      assert.deepStrictEqual(page.heading, ["Sign in with a code"])
      assert.deepStrictEqual(
        page.all("input").map((input) => [attribute(input, "type"), attribute(input, "autocomplete")]),
        [
          ["text", "username"],
          ["tel", "tel"]
        ]
      )
      const german = yield* makeVisitor({ "accept-language": "de" }).open(codes)
      assert.include(german.text, "Telefonnummer")
      // There are no codes by email.
      assert.strictEqual(wayOf(yield* visitor.ask("GET", "/login/code"), "/login/code"), "/login")
    })
  )

  it.effect("sends one, and signs in whoever sends it back, to where they wanted to go", () =>
    Effect.gen(function* () {
      yield* phoneMember("vali", number(1))
      const { page, visitor } = yield* askedFor(" VALI ", "+49 (0)1512 0009-01")
      visitor.cookies.set("forum-return", "/oauth/consent")
      assert.strictEqual(page.answer.status, 200)
      assert.include(page.text, number(1))
      const [field] = page.all("input").filter((input) => attribute(input, "name") === "code")
      assert.strictEqual(field === undefined ? "" : attribute(field, "autocomplete"), "one-time-code")
      const code = yield* codeTo(number(1))
      for (const [entered, text] of [
        ["", "Enter the code from the message."],
        ["000000x", "The code is wrong or no longer valid."],
        ["1".repeat(200), "The code is wrong or no longer valid."]
      ] as const) {
        const refused = pageOf(yield* visitor.submit(page, { code: entered }), check)
        assert.strictEqual(refused.answer.status, 422)
        assert.deepStrictEqual(refused.alerts, [text])
        assert.include(refused.text, number(1))
      }
      // It is for this handle alone.
      yield* phoneMember("vidar", number(2))
      assert.strictEqual((yield* visitor.submit(page, { code, identifier: "vidar" })).status, 422)
      const done = yield* visitor.submit(page, { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` })
      assert.strictEqual(wayOf(done, check), "/oauth/consent")
      const vali = personWith(visitor.cookies.get("forum-session"), "")
      assert.strictEqual(ok(yield* vali.get("/accounts")).handle, "vali")
      // A code works once.
      assert.strictEqual((yield* visitor.submit(page, { code })).status, 422)
      yield* forgetTexts
    })
  )

  it.effect("sends another one to who asks again", () =>
    Effect.gen(function* () {
      yield* phoneMember("idun", number(3))
      const { page, visitor } = yield* askedFor("idun", number(3))
      const before = (yield* textsTo(number(3))).length
      assert.strictEqual((yield* visitor.submit(page, {}, { form: 1 })).status, 200)
      assert.strictEqual((yield* textsTo(number(3))).length, before + 1)
      yield* forgetTexts
    })
  )

  it.effect("says why it sends none, and keeps what was entered", () =>
    Effect.gen(function* () {
      yield* signUp("mimir")
      const tyr = yield* phoneMember("tyr", number(4))
      const noNumber = "Enter a phone number with the code of its country, such as +49 1512 3456789."
      const refusals: ReadonlyArray<readonly [string, string, string, string]> = [
        ["", number(4), "Enter your handle.", "identifier"],
        ["tyr", "", noNumber, "phone_number"],
        ["tyr", "0151 2000904", noNumber, "phone_number"],
        ["tyr", `+${"1".repeat(100)}`, noNumber, "phone_number"],
        ["nobody", number(4), "No account has this handle.", "identifier"],
        ["mimir", number(4), "Nobody signs in with codes by phone with this handle.", "identifier"]
      ]
      for (const [identifier, phone_number, text, field] of refusals) {
        const { page } = yield* askedFor(identifier, phone_number)
        assert.strictEqual(page.answer.status, 422, text)
        assert.deepStrictEqual(page.alerts, [text])
        assert.deepStrictEqual(page.forms[0]?.fields, { identifier, phone_number })
        const wrong = page.all("input").filter((input) => attribute(input, "aria-invalid") === "true")
        const first = page.all("input").filter((input) => attribute(input, "autofocus") !== undefined)
        for (const inputs of [wrong, first]) {
          assert.deepStrictEqual(
            inputs.map((input) => attribute(input, "name")),
            [field]
          )
        }
      }
      // Nobody signs up here.
      assert.lengthOf(yield* textsTo(number(4)), 1)
      yield* suspend(tyr)
      const { page } = yield* askedFor("tyr", number(4))
      assert.deepStrictEqual(page.alerts, ["This account is suspended and cannot sign in."])
      yield* reinstate(tyr)
      yield* forgetTexts
    })
  )

  it.effect("tells nobody whose a number is, nor which number an account has", () =>
    Effect.gen(function* () {
      yield* phoneMember("hoenir", number(5))
      const { page } = yield* askedFor("hoenir", number(6))
      assert.strictEqual(page.answer.status, 200)
      assert.deepStrictEqual(page.alerts, [])
      assert.notMatch(yield* lastTextTo(number(6)), /\d{6} is your code/)
      yield* forgetTexts
    })
  )

  it.effect("makes no account of who has begun to sign up elsewhere", () =>
    Effect.gen(function* () {
      ok(yield* askForCode("bragi", number(7)))
      const code = yield* codeTo(number(7))
      const visitor = makeVisitor()
      const fields = new URLSearchParams({ identifier: "bragi", phone_number: number(7), code })
      const answer = yield* visitor.ask("POST", check, fields.toString())
      assert.strictEqual(answer.status, 422)
      assert.isFalse(visitor.cookies.has("forum-session"))
      yield* forgetTexts
    })
  )

  it.effect("has the limits of the API on messages and on wrong codes", () =>
    Effect.gen(function* () {
      yield* phoneMember("baldur", number(8))
      for (let n = 0; n < 5; n++) {
        assert.strictEqual((yield* askedFor("baldur", number(8))).page.answer.status, 200)
      }
      const { page, visitor } = yield* askedFor("baldur", number(8))
      assert.strictEqual(page.answer.status, 403)
      assert.deepStrictEqual(page.heading, ["Too many attempts"])
      const code = yield* codeTo(number(8))
      const enter = (entered: string) =>
        visitor.ask(
          "POST",
          check,
          new URLSearchParams({ identifier: "baldur", phone_number: number(8), code: entered }).toString()
        )
      for (let n = 0; n < 5; n++) assert.strictEqual((yield* enter("000000x")).status, 422)
      for (let n = 0; n < 5; n++) {
        assert.strictEqual((yield* enter(code === "111111" ? "222222" : "111111")).status, 422)
      }
      assert.strictEqual((yield* enter(code)).status, 422)
      assert.isFalse(visitor.cookies.has("forum-session"))
      yield* TestClock.adjust("1 day")
      const again = yield* askedFor("baldur", number(8))
      const fresh = yield* codeTo(number(8))
      assert.strictEqual((yield* again.visitor.submit(again.page, { code: fresh })).status, 303)
      yield* forgetTexts
    })
  )

  it.effect("takes no form of another page, and none without a number", () =>
    Effect.gen(function* () {
      for (const path of [codes, check]) {
        const answer = yield* send({
          method: "POST",
          path,
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            origin: "http://forum.test",
            "sec-fetch-site": "same-site"
          },
          body: "identifier=vali&phone_number=%2B491512000901&code=123456"
        })
        assert.strictEqual(answer.status, 403)
      }
      const visitor = makeVisitor()
      assert.strictEqual(wayOf(yield* visitor.ask("POST", check, "identifier=vali&code=1"), check), codes)
      assert.strictEqual(wayOf(yield* visitor.ask("GET", check), check), codes)
    })
  )
})

layer(TestApp.withoutTextsWhere(alone))("the page where no messages are sent", (it) => {
  it.effect("is not there, whatever the mode", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      ok(yield* odin.patch("/admin", { authentication_mode: "phone" }))
      const visitor = makeVisitor()
      assert.deepStrictEqual((yield* visitor.open("/login")).links, [])
      for (const method of ["GET", "POST"]) {
        assert.strictEqual(
          wayOf(yield* visitor.ask(method, codes, method === "GET" ? undefined : "identifier=a"), codes),
          "/login"
        )
      }
    })
  )
})
