import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertProblem, assertUnchangedBy, problems } from "../support/identity.ts"
import { cast, guest, password, signUp } from "../support/people.ts"
import * as TestApp from "../support/TestApp.ts"

layer(TestApp.layer)("changing one's handle", (it) => {
  const signIn = (identifier: string) => guest.post("/auth/password/signin", { identifier, token: password })

  it.effect("moves the account and frees the old one", () =>
    Effect.gen(function* () {
      const { freya } = yield* cast
      const answer = yield* freya.patch("/accounts", { handle: "FREYA_ВАНАДИС" })
      assert.strictEqual(answer.json.handle, "freya_ванадис")
      assert.strictEqual(answer.json.name, "freya")
      assert.strictEqual((yield* freya.get("/accounts")).status, 200)
      assertProblem(yield* signIn("freya"), problems.handleUnknown)
      assert.strictEqual((yield* signIn("freya_ванадис")).json.id, freya.id)
      const other = yield* signUp("freya")
      assert.notStrictEqual(other.id, freya.id)
    })
  )

  it.effect("to one's own is no conflict, to another's is one in any letter case", () =>
    Effect.gen(function* () {
      const tyr = yield* signUp("tyr")
      assert.strictEqual((yield* tyr.patch("/accounts", { handle: "TYR" })).json.handle, "tyr")
      yield* assertUnchangedBy(
        tyr,
        Effect.gen(function* () {
          for (const handle of ["odin", "ODIN"]) {
            assertProblem(yield* tyr.patch("/accounts", { handle, name: "x" }), problems.handleTaken, {
              handle: "odin"
            })
          }
          assertProblem(yield* tyr.patch("/accounts", { handle: "-x" }), problems.handleInvalid, {
            handle: "-x",
            rule: "characters"
          })
          assertProblem(yield* tyr.patch("/accounts", { handle: "" }), problems.handleInvalid, {
            handle: "",
            rule: "empty"
          })
          assertProblem(yield* tyr.patch("/accounts", { handle: "x".repeat(31) }), problems.handleInvalid, {
            handle: "x".repeat(31),
            rule: "too_long"
          })
        })
      )
    })
  )

  it.effect("to the same one by many at once succeeds for one", () =>
    Effect.gen(function* () {
      const people = yield* Effect.forEach(Array(10).keys(), (index) => signUp(`dwarf${index}`))
      const answers = yield* Effect.forEach(
        people,
        (person) => person.patch("/accounts", { handle: "brokkr" }),
        { concurrency: "unbounded" }
      )
      const losers = answers.filter(({ status }) => status !== 200)
      assert.strictEqual(losers.length, 9)
      for (const loser of losers) assertProblem(loser, problems.handleTaken, { handle: "brokkr" })
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
          assertProblem(answer, problems.signatureTooLong, { maximum: 500, length: 501 })
        )
      )
    })
  )
})
