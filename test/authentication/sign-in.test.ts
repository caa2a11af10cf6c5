import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  HandleUnknown,
  PasswordNotSet,
  PasswordWrong,
  SignInSuspended
} from "../../src/domain/authentication/Password.ts"
import { UnsupportedMediaType } from "../../src/http/contract/RequestProblems.ts"
import { sessionOf } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, call, guest, type Person, password, personWith, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const signIn = (identifier: unknown, token: unknown = password) =>
  guest.post("/auth/password/signin", { identifier, token })

const wrong = "not the password"

const removePassword = (person: Person) =>
  SqlClient.SqlClient.use((sql) => sql`delete from passwords where account_id = ${person.id}`)

layer(People.layer)("signing in", (it) => {
  it.effect("accepts the handle in any case and starts another session", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sessions = [odin.cookie]
      for (const identifier of ["odin", "ODIN", "Odin"]) {
        const answer = yield* signIn(identifier)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(answer.json, { id: odin.id })
        sessions.push(sessionOf(answer))
      }
      assert.strictEqual(new Set(sessions).size, 4)
      for (const session of sessions) {
        const { json } = yield* personWith(session, odin.id).get("/accounts")
        assert.strictEqual(json.handle, "odin")
      }
    })
  )

  it.effect("distinguishes a wrong password from an unknown handle, and takes no email addresses", () =>
    Effect.gen(function* () {
      assertProblem(yield* signIn("freya", wrong), PasswordWrong)
      assertProblem(yield* signIn("freya", `${password} `), PasswordWrong)
      assertProblem(yield* signIn("freya", password.toUpperCase()), PasswordWrong)
      for (const nobody of ["nobody", "", "freya@asgard.example", "-x", "x".repeat(1000)]) {
        assertProblem(yield* signIn(nobody), HandleUnknown)
      }
    })
  )

  it.effect(
    "checks the length of the password, the handle, the existence of a password, suspension and the password, in this order",
    () =>
      Effect.gen(function* () {
        const hel = yield* signUp("hel")
        assertInvalid(yield* signIn("nobody", "1234567"), "body token")
        assertInvalid(yield* signIn("hel", "1234567"), "body token")
        assertProblem(yield* signIn("nobody", wrong), HandleUnknown)
        yield* suspend(hel)
        assertProblem(yield* signIn("hel", wrong), SignInSuspended)
        assertProblem(yield* signIn("hel"), SignInSuspended)
        yield* removePassword(hel)
        assertProblem(yield* signIn("hel"), PasswordNotSet)
      })
  )

  it.effect("names every invalid field", () =>
    Effect.gen(function* () {
      const path = "/auth/password/signin"
      assertInvalid(yield* guest.post(path), "body identifier", "body token")
      assertInvalid(yield* guest.post(path, ""), "body identifier", "body token")
      assertInvalid(yield* guest.post(path, { token: password }), "body identifier")
      assertInvalid(
        yield* guest.post(path, { identifier: ["odin"], token: 12345678 }),
        "body identifier",
        "body token"
      )
      for (const broken of ["[]", "null", '{"identifier":"odin",']) {
        assertInvalid(yield* guest.post(path, broken), "body")
      }
      assertProblem(
        yield* call("POST", `/api${path}`, {
          body: "identifier=odin",
          headers: { "content-type": "text/html" }
        }),
        UnsupportedMediaType,
        { content_type: "text/html" }
      )
    })
  )
})
