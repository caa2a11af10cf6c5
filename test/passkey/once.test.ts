/** Each challenge is answered once, in its time, by whom it was given to, and for what it was asked. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { HandleTaken } from "../../src/domain/account/Account.ts"
import { PasskeyInvalid, PasskeyTaken, PasskeyWrong } from "../../src/domain/authentication/Passkey.ts"
import { SealedStates } from "../../src/domain/authentication/SealedStates.ts"
import { ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import * as People from "../support/people.ts"
import { Cast, signUp } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { addTo, askForAssertion, askForCreation, sendAssertion, sendCreation, signUpWith } from "./support.ts"

const gone = { reason: "challenge" } as const

layer(Layer.provideMerge(TestApp.uncached, People.layer))("an answer that was taken", (it) => {
  it.effect("is refused again, on another instance too", () =>
    Effect.gen(function* () {
      yield* Cast
      const elsewhere = yield* TestApp.UncachedClient
      const there = <A, E, R>(request: Effect.Effect<A, E, R>) =>
        Effect.provideService(request, HttpClient.HttpClient, elsewhere)
      const passkey = makePasskey({ counts: false })
      const creation = yield* askForCreation("sif")
      const created = passkey.create(creation.options)
      // Any instance takes the answer to a challenge of another.
      ok(yield* there(sendCreation(created, creation.state)))
      for (const again of [
        sendCreation(created, creation.state),
        there(sendCreation(created, creation.state))
      ]) {
        assertProblem(yield* again, HandleTaken, { handle: "sif" })
      }
      const { options, state } = yield* askForAssertion("sif")
      const credential = passkey.assert(options)
      ok(yield* there(sendAssertion(credential, state)))
      assertProblem(yield* sendAssertion(credential, state), PasskeyWrong, gone)
      assertProblem(yield* there(sendAssertion(credential, state)), PasskeyWrong, gone)
    })
  )

  it.effect("is refused again when its passkey and its handle are gone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { freya } = yield* Cast
      const { options, state } = yield* askForCreation("freya", freya)
      const credential = makePasskey().create(options)
      ok(yield* sendCreation(credential, state, { person: freya }))
      assertProblem(yield* sendCreation(credential, state, { person: freya }), PasskeyInvalid, gone)
      yield* sql`delete from passkeys where account_id = ${freya.id}`
      assertProblem(yield* sendCreation(credential, state, { person: freya }), PasskeyInvalid, gone)

      const creation = yield* askForCreation("renamed")
      const created = makePasskey().create(creation.options)
      ok(yield* sendCreation(created, creation.state))
      yield* sql`delete from passkeys`
      yield* sql`update accounts set handle = 'other', handle_key = 'other' where handle = 'renamed'`
      assertProblem(yield* sendCreation(created, creation.state), PasskeyInvalid, gone)
    })
  )

  it.effect("is taken once of fifty times at the same moment", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey({ counts: false })
      const person = yield* signUpWith("idun", passkey)
      const { options, state } = yield* askForAssertion("idun")
      const credential = passkey.assert(options)
      const answers = yield* Effect.forEach(Array(50).keys(), () => sendAssertion(credential, state), {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers) if (answer.status !== 200) assertProblem(answer, PasskeyWrong, gone)

      const addition = yield* askForCreation("idun", person)
      const created = makePasskey().create(addition.options)
      const additions = yield* Effect.forEach(
        Array(20).keys(),
        () => sendCreation(created, addition.state, { person }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(additions.filter(({ status }) => status === 200).length, 1)
      for (const answer of additions) if (answer.status !== 200) assertProblem(answer, PasskeyInvalid, gone)
    })
  )
})

layer(People.layer)("an answer that was refused", (it) => {
  it.effect("does not use its challenge up", () =>
    Effect.gen(function* () {
      yield* Cast
      const [passkey, taken] = [makePasskey(), makePasskey()]
      yield* signUpWith("sif", taken)
      const { options, state } = yield* askForCreation("hel")
      assertProblem(yield* sendCreation(passkey.create(options, { challenge: "x" }), state), PasskeyInvalid, {
        reason: "response"
      })
      assertProblem(yield* sendCreation(taken.create(options), state), PasskeyTaken)
      ok(yield* sendCreation(passkey.create(options), state))
    })
  )
})

layer(People.layer)("a challenge", (it) => {
  it.effect("is for ten minutes", () =>
    Effect.gen(function* () {
      const passkey = makePasskey()
      const tyr = yield* addTo((yield* Cast).tyr, "tyr", passkey)
      const [inTime, late] = [yield* askForCreation("in-time"), yield* askForCreation("late")]
      const [assertion, lateAssertion] = [yield* askForAssertion("tyr"), yield* askForAssertion("tyr")]
      const addition = yield* askForCreation("tyr", tyr)
      yield* TestClock.adjust("599 seconds")
      ok(yield* sendCreation(makePasskey().create(inTime.options), inTime.state))
      ok(yield* sendAssertion(passkey.assert(assertion.options), assertion.state))
      yield* TestClock.adjust("1 second")
      assertProblem(yield* sendCreation(makePasskey().create(late.options), late.state), PasskeyInvalid, gone)
      assertProblem(
        yield* sendCreation(makePasskey().create(addition.options), addition.state, { person: tyr }),
        PasskeyInvalid,
        gone
      )
      assertProblem(
        yield* sendAssertion(passkey.assert(lateAssertion.options), lateAssertion.state),
        PasskeyWrong,
        gone
      )
    })
  )

  it.effect("is for what it was asked", () =>
    Effect.gen(function* () {
      const passkey = makePasskey()
      const freya = yield* addTo((yield* Cast).freya, "freya", passkey)
      const signIn = yield* askForAssertion("freya")
      const addition = yield* askForCreation("freya", freya)
      const mixed = {
        publicKey: { ...addition.options.publicKey, challenge: signIn.options.publicKey.challenge }
      }
      assertProblem(
        yield* sendCreation(makePasskey().create(mixed), signIn.state, { person: freya }),
        PasskeyInvalid,
        gone
      )
      for (const state of [addition.state, (yield* askForCreation("new")).state]) {
        assertProblem(yield* sendAssertion(passkey.assert(addition.options), state), PasskeyWrong, gone)
      }
    })
  )

  it.effect("is for the browser that asked, and needs its state unchanged", () =>
    Effect.gen(function* () {
      const { options, state } = yield* askForCreation("sealed")
      const credential = makePasskey().create(options)
      const [text = "", seal = ""] = state.split(".")
      const decoded = Buffer.from(text, "base64url").toString()
      const altered = (from: string | RegExp, to: string) =>
        `${Buffer.from(decoded.replace(from, to)).toString("base64url")}.${seal}`
      const another = (yield* askForCreation("another")).state
      const states = [
        undefined,
        "",
        "x",
        text,
        seal,
        `${text}.`,
        `.${seal}`,
        `${text}.${"A".repeat(43)}`,
        `${text}.${seal}x`,
        `x${state}`,
        altered("sealed", "taken1"),
        altered(/"expires":\d+/, '"expires":99999999999999'),
        altered(/"_tag":"SignUp"/, '"_tag":"SignIn"'),
        altered(/^/, " "),
        "a".repeat(8000)
      ]
      for (const one of states) assertProblem(yield* sendCreation(credential, one), PasskeyInvalid, gone)
      // Another state of this service is sealed, but of another challenge.
      assertProblem(yield* sendCreation(credential, another), PasskeyInvalid, { reason: "response" })
      // Cookies that others set for the same name do not matter.
      ok(yield* sendCreation(credential, `x; forum-webauthn=${state}; other=1`))
    })
  )
})

layer(People.layer)("the challenges that were answered", (it) => {
  it.effect("are remembered until an hour after they are valid, and then forgotten", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { forgetUsed } = yield* SealedStates
      yield* Cast
      yield* signUp("first")
      yield* signUpWith("sif")
      const remembered = Effect.map(sql`select from sealed_states_used`, (rows) => rows.length)
      yield* TestClock.adjust("69 minutes")
      yield* forgetUsed
      assert.strictEqual(yield* remembered, 1)
      yield* TestClock.adjust("1 minute")
      yield* forgetUsed
      assert.strictEqual(yield* remembered, 0)
    })
  )
})
