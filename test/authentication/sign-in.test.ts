import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AttemptLimit } from "../../src/domain/authentication/AttemptLimit.ts"
import {
  HandleUnknown,
  PasswordNotSet,
  PasswordWrong,
  SignInSuspended,
  TooManyAttempts
} from "../../src/domain/authentication/Password.ts"
import { AccountId } from "../../src/domain/shared/Id.ts"
import { UnsupportedMediaType } from "../../src/http/shared/RequestProblems.ts"
import { type Answer, sessionOf } from "../support/answers.ts"
import * as People from "../support/people.ts"
import { Cast, call, guest, type Person, password, personWith, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"

const signIn = (identifier: unknown, token: unknown = password) =>
  guest.post("/auth/password/signin", { identifier, token })

const wrong = "not the password"

const times = <A, E, R>(
  count: number,
  effect: Effect.Effect<A, E, R>,
  concurrency: number | "unbounded" = 1
) => Effect.forEach(Array(count).fill(effect), (one: typeof effect) => one, { concurrency })

const removePassword = (person: Person) =>
  SqlClient.SqlClient.use((sql) => sql`delete from passwords where account_id = ${person.id}`)

const statuses = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status).sort()

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

layer(People.layer)("guessing a password", (it) => {
  const tooMany = (answer: Answer, seconds: number) => {
    assertProblem(answer, TooManyAttempts, { retry_after: seconds })
    assert.strictEqual(answer.headers["retry-after"], String(seconds))
  }

  it.effect("is refused after ten wrong attempts, until fifteen minutes have passed since the first", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      for (const answer of yield* times(9, signIn("freya", wrong))) {
        assertProblem(answer, PasswordWrong)
      }
      yield* TestClock.adjust("5 minutes")
      assertProblem(yield* signIn("FREYA", wrong), PasswordWrong)
      tooMany(yield* signIn("freya", wrong), 600)
      tooMany(yield* signIn("freya"), 600)
      tooMany(yield* freya.patch("/auth/password", { old: password, new: "another password" }), 600)
      tooMany(
        yield* call("POST", "/api/auth/password/signin", {
          body: { identifier: "freya", token: password },
          headers: { "x-forwarded-for": "203.0.113.9", "x-real-ip": "203.0.113.9" }
        }),
        600
      )
      assert.strictEqual((yield* freya.get("/accounts")).status, 200)
      assert.strictEqual((yield* signIn("loki")).status, 200)

      yield* TestClock.adjust("9 minutes")
      tooMany(yield* signIn("freya"), 60)
      yield* TestClock.adjust("59 seconds")
      tooMany(yield* signIn("freya"), 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* signIn("freya")).status, 200)
    })
  )

  it.effect("counts wrong attempts of every operation, and no invalid requests", () =>
    Effect.gen(function* () {
      const vali = yield* signUp("vali")
      const change = vali.patch("/auth/password", { old: wrong, new: "another password" })
      yield* times(20, signIn("vali", "short"))
      yield* times(20, vali.patch("/auth/password", { old: wrong, new: "short" }))
      for (const answer of yield* times(5, change)) assertProblem(answer, PasswordWrong)
      for (const answer of yield* times(5, signIn("vali", wrong))) {
        assertProblem(answer, PasswordWrong)
      }
      tooMany(yield* change, 900)
      tooMany(yield* signIn("vali"), 900)
    })
  )

  it.effect("resets the count with a right attempt", () =>
    Effect.gen(function* () {
      yield* signUp("baldur")
      for (let round = 0; round < 3; round++) {
        yield* times(9, signIn("baldur", wrong))
        assert.strictEqual((yield* signIn("baldur")).status, 200)
      }
    })
  )

  it.effect("checks ten of thirty concurrent wrong attempts, also when the window has just passed", () =>
    Effect.gen(function* () {
      yield* signUp("heimdall")
      const expected = [...Array(10).fill(401), ...Array(20).fill(429)]
      const burst = times(30, signIn("heimdall", wrong), "unbounded")
      assert.deepStrictEqual(statuses(yield* burst), expected)
      yield* TestClock.adjust("15 minutes")
      assert.deepStrictEqual(statuses(yield* burst), expected)
    })
  )

  it.effect("accepts thirty concurrent right attempts", () =>
    Effect.gen(function* () {
      yield* signUp("sif")
      const answers = yield* times(30, signIn("sif"), "unbounded")
      assert.deepStrictEqual(statuses(answers), Array(30).fill(200))
    })
  )

  it.effect("counts over all instances of the service", () =>
    Effect.gen(function* () {
      const hodr = yield* signUp("hodr")
      const instances = yield* Effect.forEach(Array(3).keys(), () =>
        Effect.map(Layer.build(Layer.fresh(AttemptLimit.layer)), (context) =>
          AttemptLimit.pipe(Effect.provide(context))
        )
      )
      let verdicts = 0
      const attempt = Effect.sync(() => {
        verdicts += 1
        return false
      })
      yield* Effect.forEach(
        instances,
        (instance) =>
          Effect.flatMap(instance, ({ guard }) =>
            times(10, Effect.exit(guard(AccountId.make(hodr.id), attempt)), "unbounded")
          ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(verdicts, 10)
    })
  )
})
