import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  HandleInvalid,
  HandleTaken,
  ProfileTextTooLong,
  SignatureTooLong
} from "../../src/domain/account/Account.ts"
import { HandleUnknown } from "../../src/domain/authentication/Password.ts"
import * as People from "../support/people.ts"
import { Cast, guest, password, signUp } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { assertUnchangedBy } from "./assertUnchangedBy.ts"

layer(People.layer)("changing one's handle", (it) => {
  const signIn = (identifier: string) => guest.post("/auth/password/signin", { identifier, token: password })

  it.effect("frees the old handle", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const answer = yield* freya.patch("/accounts", { handle: "FREYA_ВАНАДИС" })
      assert.strictEqual(answer.json.handle, "freya_ванадис")
      assert.strictEqual(answer.json.name, "freya")
      assert.strictEqual((yield* freya.get("/accounts")).status, 200)
      assertProblem(yield* signIn("freya"), HandleUnknown)
      assert.strictEqual((yield* signIn("freya_ванадис")).json.id, freya.id)
      const other = yield* signUp("freya")
      assert.notStrictEqual(other.id, freya.id)
    })
  )

  it.effect("is a conflict with another account's handle, whatever the case, and not with one's own", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      assert.strictEqual((yield* vali.patch("/accounts", { handle: "VALI" })).json.handle, "vali")
      yield* assertUnchangedBy(
        vali,
        Effect.gen(function* () {
          for (const handle of ["odin", "ODIN"]) {
            assertProblem(yield* vali.patch("/accounts", { handle, name: "x" }), HandleTaken, {
              handle: "odin"
            })
          }
          assertProblem(yield* vali.patch("/accounts", { handle: "-x" }), HandleInvalid, {
            handle: "-x",
            rule: "characters"
          })
          assertProblem(yield* vali.patch("/accounts", { handle: "" }), HandleInvalid, {
            handle: "",
            rule: "empty"
          })
          assertProblem(yield* vali.patch("/accounts", { handle: "x".repeat(31) }), HandleInvalid, {
            handle: "x".repeat(31),
            rule: "too_long"
          })
        })
      )
    })
  )

  it.effect("succeeds for one of many that want the same handle at once", () =>
    Effect.gen(function* () {
      const people = yield* Effect.forEach(Array(10).keys(), (index) => signUp(`dwarf${index}`))
      const answers = yield* Effect.forEach(
        people,
        (person) => person.patch("/accounts", { handle: "brokkr" }),
        { concurrency: "unbounded" }
      )
      const losers = answers.filter(({ status }) => status !== 200)
      assert.strictEqual(losers.length, 9)
      for (const loser of losers) assertProblem(loser, HandleTaken, { handle: "brokkr" })
    })
  )
})

layer(TestApp.layer)("the rich text of an account", (it) => {
  it.effect.each([
    ["", "<body></body>"],
    ["hello", "<body>hello</body>"],
    ["<p>hello</p>", "<body><p>hello</p></body>"],
    ["<body><p>hello</p></body>", "<body><p>hello</p></body>"],
    [`<p onclick="x()">hi<script>alert(1)</script></p>`, "<body><p>hi</p></body>"],
    [`<a href="javascript:alert(1)">x</a>`, "<body>x</body>"],
    [`<p id="x" data-y="1">z</p>`, `<body><p data-y="1">z</p></body>`]
  ] as const)("%j is shown as %s", ([written, shown]) =>
    Effect.gen(function* () {
      const handle = `r${[...written].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1e9, 7)}`
      const person = yield* signUp(handle)
      const answer = yield* person.patch("/accounts", { bio: written, signature: written })
      assert.strictEqual(answer.json.bio, shown)
      assert.strictEqual(answer.json.signature, shown)
    })
  )

  it.effect.each([
    ["letters of two bytes", "ä".repeat(500)],
    ["letters of four bytes", "🦋".repeat(500)],
    ["markup around them", `<p><strong>${"x".repeat(250)}</strong></p><p>${"y".repeat(250)}</p>`],
    ["characters written as entities", "&amp;".repeat(500)]
  ] as const)("a signature may have 500 characters, and no more, counting %s", ([kind, signature]) =>
    Effect.gen(function* () {
      const person = yield* signUp(kind.replaceAll(" ", "_"))
      const fits = yield* person.patch("/accounts", { signature })
      assert.strictEqual(fits.status, 200, fits.text)
      yield* assertUnchangedBy(
        person,
        Effect.map(person.patch("/accounts", { name: "other", signature: `${signature}x` }), (answer) =>
          assertProblem(answer, SignatureTooLong, { maximum: 500, length: 501 })
        )
      )
    })
  )

  it.effect("has a limit after sanitising, which may lengthen it", () =>
    Effect.gen(function* () {
      const person = yield* signUp("ratatoskr")
      const around = "<body></body>".length
      for (const [field, maximum] of [
        ["bio", 65_536],
        ["signature", 10_000]
      ] as const) {
        const change = (html: string) => person.patch("/accounts", { [field]: html })
        const growing = `<p title="${"&".repeat(maximum / 4)}"></p>`
        yield* assertUnchangedBy(
          person,
          Effect.map(change(growing), (answer) =>
            assertProblem(answer, ProfileTextTooLong, {
              field,
              maximum,
              length: growing.length + around + maximum
            })
          )
        )
      }
      assertInvalid(yield* person.patch("/accounts", { signature: "x".repeat(10_001) }), "body signature")
      const bio = "x".repeat(65_536 - around)
      assert.strictEqual((yield* person.patch("/accounts", { bio })).json.bio, `<body>${bio}</body>`)
    })
  )
})

layer(TestApp.layer)("names and interests", (it) => {
  it.effect("a name is one line of at most 255 characters in which something can be seen", () =>
    Effect.gen(function* () {
      const person = yield* signUp("nidhoggr")
      const rename = (name: string) => person.patch("/accounts", { name })
      for (const [name, stored] of [
        ["🦋".repeat(255), "🦋".repeat(255)],
        ["  Freya\tof\r\nVanaheim ", "Freya of Vanaheim"],
        ["Fre\u200by\u00ada\u202e\u0007", "Freya"],
        ["e\u0301".repeat(255), "é".repeat(255)],
        ["👩‍👩‍👧 می‌خواهم", "👩‍👩‍👧 می‌خواهم"]
      ] as const) {
        assert.strictEqual((yield* rename(name)).json.name, stored)
      }
      for (const name of ["🦋".repeat(256), "\u202e\u200b", "\u3164", "\u2800", "\u0007"]) {
        assertInvalid(yield* rename(name), "body name")
      }
    })
  )

  it.effect("there may be 50 interests of 30 characters each", () =>
    Effect.gen(function* () {
      const person = yield* signUp("vedrfolnir")
      const names = (count: number) => Array.from({ length: count }, (_, n) => `${"𐍈".repeat(28)}${n + 10}`)
      const change = (interests: ReadonlyArray<string>) => person.patch("/accounts", { interests })
      assert.strictEqual((yield* change(names(50))).status, 200)
      assertInvalid(yield* change(names(51)), "body interests")
      assertInvalid(
        yield* change(["x", "x".repeat(31), "\ufdfa\ufdfa"]),
        "body interests.1",
        "body interests.2"
      )
    })
  )
})
