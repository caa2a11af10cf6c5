/** Signing in on pages with a code that is sent by email. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ok } from "../support/answers.ts"
import { addressOf, codeMember, emailMember } from "../support/emails.ts"
import { codeTo, mailsTo } from "../support/mails.ts"
import { personWith, reinstate, signUp, suspend } from "../support/people.ts"
import { send } from "../support/raw.ts"
import * as TestApp from "../support/TestApp.ts"
import { attribute, makeVisitor, pageOf, wayOf } from "./visitor.ts"

const alone = { webUrl: new URL("http://forum.test") }

const codes = "/login/code"

layer(TestApp.layerWhere(alone))("the page to get a code on", (it) => {
  it.effect("is there once accounts sign in with codes", () =>
    Effect.gen(function* () {
      const odin = yield* signUp("odin")
      const visitor = makeVisitor()
      assert.notInclude((yield* visitor.open("/login")).text, "Get a code by email")
      for (const path of [codes, `${codes}/check`]) {
        assert.strictEqual(wayOf(yield* visitor.ask("GET", path), path).slice(0, 6), "/login")
        assert.strictEqual(wayOf(yield* visitor.ask("POST", path, "email=a%40b.example"), path), "/login")
      }
      ok(yield* odin.patch("/admin", { authentication_mode: "email" }))
      const page = yield* visitor.open("/login")
      assert.deepStrictEqual(page.links, [{ text: "Get a code by email", href: "./login/code" }])
      assert.deepStrictEqual((yield* visitor.open(codes)).heading, ["Sign in with a code"])
    })
  )

  it.effect("sends one, and signs in whoever sends it back, to where they wanted to go", () =>
    Effect.gen(function* () {
      yield* codeMember("bragi")
      const visitor = makeVisitor()
      visitor.cookies.set("forum-return", "/oauth/consent")
      const asked = yield* visitor.submit(yield* visitor.open(codes), { email: ` ${addressOf("Bragi")} ` })
      const page = pageOf(asked, codes)
      assert.strictEqual(asked.status, 200)
      assert.include(page.text, addressOf("bragi"))
      const [field] = page.all("input").filter((input) => attribute(input, "name") === "code")
      assert.strictEqual(field === undefined ? "" : attribute(field, "autocomplete"), "one-time-code")
      const code = yield* codeTo(addressOf("bragi"))
      for (const [entered, text] of [
        ["", "Enter the code from the mail."],
        ["000000x", "The code is wrong or no longer valid."],
        ["1".repeat(200), "The code is wrong or no longer valid."]
      ] as const) {
        const refused = pageOf(yield* visitor.submit(page, { code: entered }), `${codes}/check`)
        assert.strictEqual(refused.answer.status, 422)
        assert.deepStrictEqual(refused.alerts, [text])
        assert.include(refused.text, addressOf("bragi"))
      }
      const done = yield* visitor.submit(page, { code: ` ${code.slice(0, 3)} ${code.slice(3)} ` })
      assert.strictEqual(wayOf(done, `${codes}/check`), "/oauth/consent")
      const bragi = personWith(visitor.cookies.get("forum-session"), "")
      assert.strictEqual(ok(yield* bragi.get("/accounts")).handle, "bragi")
      // A code works once.
      assert.strictEqual((yield* visitor.submit(page, { code })).status, 422)
    })
  )

  it.effect("sends another one to who asks again", () =>
    Effect.gen(function* () {
      yield* codeMember("idun")
      const visitor = makeVisitor()
      const page = pageOf(
        yield* visitor.submit(yield* visitor.open(codes), { email: addressOf("idun") }),
        codes
      )
      const before = (yield* mailsTo(addressOf("idun"))).length
      const again = yield* visitor.submit(page, {}, { form: 1 })
      assert.strictEqual(again.status, 200)
      assert.strictEqual((yield* mailsTo(addressOf("idun"))).length, before + 1)
    })
  )

  it.effect("says why it sends none", () =>
    Effect.gen(function* () {
      yield* emailMember("mimir")
      const vidar = yield* codeMember("vidar")
      const visitor = makeVisitor()
      const form = yield* visitor.open(codes)
      const refusals = [
        ["", "Enter an email address, such as name@example.com."],
        ["not an address", "Enter an email address, such as name@example.com."],
        ["nobody@asgard.example", "Nobody signs in with codes by this address."],
        // Who has a password has no codes.
        [addressOf("mimir"), "Nobody signs in with codes by this address."]
      ]
      for (const [email = "", text] of refusals) {
        const page = pageOf(yield* visitor.submit(form, { email }), codes)
        assert.strictEqual(page.answer.status, 422)
        assert.deepStrictEqual(page.alerts, [text])
        assert.strictEqual(page.forms[0]?.fields.email, email)
      }
      yield* suspend(vidar)
      const page = pageOf(yield* visitor.submit(form, { email: addressOf("vidar") }), codes)
      assert.deepStrictEqual(page.alerts, ["This account is suspended and cannot sign in."])
      yield* reinstate(vidar)
    })
  )

  it.effect("has the limits of the API on mails", () =>
    Effect.gen(function* () {
      yield* codeMember("hoenir")
      const visitor = makeVisitor()
      const form = yield* visitor.open(codes)
      const statuses: Array<number> = []
      for (let n = 0; n < 6; n++) {
        statuses.push((yield* visitor.submit(form, { email: addressOf("hoenir") })).status)
      }
      const last = yield* visitor.submit(form, { email: addressOf("hoenir") })
      assert.include(statuses, 200)
      assert.strictEqual(last.status, 403)
      assert.deepStrictEqual(pageOf(last, codes).heading, ["Too many attempts"])
    })
  )

  it.effect("takes no form of another page", () =>
    Effect.gen(function* () {
      for (const path of [codes, `${codes}/check`]) {
        const answer = yield* send({
          method: "POST",
          path,
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            origin: "http://forum.test",
            "sec-fetch-site": "same-site"
          },
          body: "email=bragi%40asgard.example&code=123456"
        })
        assert.strictEqual(answer.status, 403)
      }
    })
  )
})
