import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  PasswordAlreadySet,
  PasswordNotSet,
  PasswordWrong
} from "../../src/domain/authentication/Password.ts"
import { AccountSuspended, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok, sessionOf } from "../support/answers.ts"
import * as People from "../support/people.ts"
import {
  Cast,
  guest,
  type Person,
  password,
  personIn,
  personWith,
  signUp,
  suspend
} from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const signIn = (identifier: string, token: string) =>
  guest.post("/auth/password/signin", { identifier, token })

const newPassword = "a new passphrase"

const removePassword = (person: Person) =>
  SqlClient.SqlClient.use((sql) => sql`delete from passwords where account_id = ${person.id}`)

layer(People.layer)("a password", (it) => {
  it.effect("is the same in every Unicode form and with every space", () =>
    Effect.gen(function* () {
      yield* Cast
      const [composed, decomposed] = ["caf\u00e9 \u00fcber alles", "cafe\u0301\u00a0u\u0308ber\u3000alles"]
      for (const [handle, set, typed] of [
        ["ask", composed, decomposed],
        ["embla", decomposed, composed]
      ] as const) {
        ok(yield* guest.post("/auth/password/signup", { identifier: handle, token: set }))
        const person = personIn(yield* signIn(handle, typed))
        ok(yield* signIn(handle, set))
        assertProblem(yield* signIn(handle, "cafe uber alles"), PasswordWrong)
        ok(yield* person.patch("/auth/password", { old: typed, new: set }))
        ok(yield* signIn(handle, typed))
      }
    })
  )
})

layer(People.layer)("changing one's password", (it) => {
  it.effect("invalidates the old one, starts a session and keeps the other sessions", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const second = personWith(sessionOf(yield* signIn("freya", password)), freya.id)
      const answer = yield* freya.patch("/auth/password", { old: password, new: newPassword })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(answer.json, { id: freya.id })
      assertProblem(yield* signIn("freya", password), PasswordWrong)
      assert.strictEqual((yield* signIn("freya", newPassword)).status, 200)
      for (const person of [freya, second, personWith(sessionOf(answer), freya.id)]) {
        assert.strictEqual((yield* person.get("/accounts")).json.handle, "freya")
      }
    })
  )

  it.effect("ends every other session of the account with revoke_sessions", () =>
    Effect.gen(function* () {
      const loki = personWith(sessionOf(yield* signIn("loki", password)), "")
      const second = personWith(sessionOf(yield* signIn("loki", password)), "")
      const kept = yield* loki.patch("/auth/password", {
        old: password,
        new: newPassword,
        revoke_sessions: false
      })
      assert.strictEqual((yield* second.get("/accounts")).status, 200)
      const answer = yield* loki.patch("/auth/password", {
        old: newPassword,
        new: password,
        revoke_sessions: true
      })
      assert.strictEqual(answer.status, 200, answer.text)
      for (const person of [loki, second, personWith(sessionOf(kept), "")]) {
        assertProblem(yield* person.get("/accounts"), Unauthenticated)
      }
      const current = personWith(sessionOf(answer), "")
      assert.strictEqual((yield* current.get("/accounts")).json.handle, "loki")
      const { freya, odin: signedInBefore } = yield* Cast
      for (const other of [freya, signedInBefore]) {
        assert.strictEqual((yield* other.get("/accounts")).status, 200)
      }
      const odin = personWith(sessionOf(yield* signIn("odin", password)), "")
      assert.strictEqual((yield* odin.get("/accounts")).status, 200)
    })
  )

  it.effect("requires the old one, and changes nothing without it", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      for (const old of ["wrong password", "", newPassword]) {
        assertProblem(yield* vali.patch("/auth/password", { old, new: newPassword }), PasswordWrong)
      }
      assert.strictEqual((yield* signIn("vali", password)).status, 200)
    })
  )

  it.effect("succeeds once if two requests with the same old password race", () =>
    Effect.gen(function* () {
      const sif = yield* signUp("sif")
      const answers = yield* Effect.forEach(
        ["the first new one", "the second new one"],
        (wanted) =>
          Effect.map(sif.patch("/auth/password", { old: password, new: wanted }), ({ status }) => ({
            status,
            wanted
          })),
        { concurrency: "unbounded" }
      )
      for (const { status, wanted } of answers) {
        assert.strictEqual((yield* signIn("sif", wanted)).status, status)
      }
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 401])
    })
  )

  it.effect(
    "checks the session, the length of the new one, the existence of an old one and the old one, in this order",
    () =>
      Effect.gen(function* () {
        const hel = yield* signUp("hel")
        const good = { old: password, new: newPassword }
        const wrong = { old: "wrong password", new: newPassword }
        assertProblem(yield* guest.patch("/auth/password", { old: 1 }), Unauthenticated)
        yield* removePassword(hel)
        assertInvalid(yield* hel.patch("/auth/password", { old: "wrong password", new: "ñññ1" }), "body new")
        assertProblem(yield* hel.patch("/auth/password", wrong), PasswordNotSet)
        yield* suspend(hel)
        assertProblem(yield* hel.patch("/auth/password", { new: "short" }), AccountSuspended)
        assertProblem(yield* hel.patch("/auth/password", good), AccountSuspended)
      })
  )

  it.effect("names every invalid field", () =>
    Effect.gen(function* () {
      const ran = yield* signUp("ran")
      assertInvalid(yield* ran.patch("/auth/password"), "body old", "body new")
      assertInvalid(yield* ran.patch("/auth/password", ""), "body old", "body new")
      assertInvalid(yield* ran.patch("/auth/password", { old: 1, new: null }), "body old", "body new")
      assertInvalid(
        yield* ran.patch("/auth/password", { old: password, new: newPassword, revoke_sessions: "yes" }),
        "body revoke_sessions"
      )
      assertInvalid(yield* ran.patch("/auth/password", "{"), "body")
      assert.strictEqual((yield* signIn("ran", password)).status, 200)
    })
  )
})

layer(People.layer)("adding a password to an account without one", (it) => {
  it.effect("succeeds once, also if two requests race", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      yield* removePassword(freya)
      assert.deepStrictEqual((yield* freya.get("/accounts")).json.auth_services, [])
      assertProblem(yield* signIn("freya", password), PasswordNotSet)

      const answers = yield* Effect.forEach(
        ["the first new one", "the second new one"],
        (wanted) =>
          Effect.map(freya.post("/auth/password", { password: wanted }), (answer) => ({ answer, wanted })),
        { concurrency: "unbounded" }
      )
      const added = answers.filter(({ answer }) => answer.status === 200)
      assert.strictEqual(added.length, 1)
      for (const { answer, wanted } of answers) {
        const signedIn = yield* signIn("freya", wanted)
        if (answer.status !== 200) {
          assertProblem(answer, PasswordAlreadySet)
          assertProblem(signedIn, PasswordWrong)
          continue
        }
        assert.strictEqual(signedIn.status, 200)
        assert.deepStrictEqual(answer.json, { id: freya.id })
        const current = personWith(sessionOf(answer), freya.id)
        assert.deepStrictEqual((yield* current.get("/accounts")).json.auth_services, ["password"])
      }
    })
  )

  it.effect("is refused to guests, to accounts that have one, and if it is too short", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      assertProblem(yield* guest.post("/auth/password", { password: "short" }), Unauthenticated)
      assertInvalid(yield* vali.post("/auth/password", { password: "1234567" }), "body password")
      assertInvalid(yield* vali.post("/auth/password"), "body password")
      assertInvalid(yield* vali.post("/auth/password", { password: 12345678 }), "body password")
      assertProblem(yield* vali.post("/auth/password", { password: newPassword }), PasswordAlreadySet)
      assert.strictEqual((yield* signIn("vali", password)).status, 200)
    })
  )
})
