/** Signing in with a passkey. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PasskeyNotSet, PasskeyWrong } from "../../src/domain/authentication/Passkey.ts"
import { HandleUnknown, SignInSuspended } from "../../src/domain/authentication/Password.ts"
import { ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import * as People from "../support/people.ts"
import { Cast, guest, personIn, reinstate, signUp, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { addTo, askForAssertion, sendAssertion, signInWith, signUpWith } from "./support.ts"

layer(People.layer)("what a browser is asked for to sign in with a passkey", (it) => {
  it.effect("names the passkeys of the account, oldest first", () =>
    Effect.gen(function* () {
      yield* Cast
      const [one, other] = [makePasskey(), makePasskey()]
      const person = yield* signUpWith("ratatoskr", one)
      yield* addTo(person, "ratatoskr", other)
      const answer = yield* guest.get("/auth/webauthn/assert/Ratatoskr")
      const { challenge, ...rest } = ok(answer).publicKey
      assert.match(challenge, /^[A-Za-z0-9_-]{43}$/)
      assert.deepStrictEqual(rest, {
        timeout: 600_000,
        rpId: "www.forum.test",
        allowCredentials: [
          { type: "public-key", id: one.id, transports: ["internal"] },
          { type: "public-key", id: other.id, transports: ["internal"] }
        ],
        userVerification: "preferred"
      })
      assert.match(
        answer.headers["set-cookie"] ?? "",
        /^forum-webauthn=[\w.-]+; .*Expires=Thu, 01 Jan 1970 00:10:00 GMT/
      )
    })
  )

  it.effect("is not found for a handle that nobody has, or for an account without passkeys", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assertProblem(yield* guest.get("/auth/webauthn/assert/nobody"), HandleUnknown)
      assertProblem(yield* guest.get(`/auth/webauthn/assert/${freya.id}`), HandleUnknown)
      assertProblem(yield* guest.get("/auth/webauthn/assert/freya"), PasskeyNotSet)
    })
  )
})

layer(People.layer)("signing in with a passkey", (it) => {
  it.effect("begins a session beside those that there are", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey()
      const first = yield* signUpWith("huginn", passkey)
      const second = personIn(yield* signInWith("HUGINN", passkey))
      assert.notStrictEqual(first.cookie, second.cookie)
      for (const person of [first, second]) {
        assert.strictEqual(ok(yield* person.get("/accounts")).handle, "huginn")
      }
    })
  )

  it.effect("works with each passkey of an account, and with one that does not say whose it is", () =>
    Effect.gen(function* () {
      yield* Cast
      const [one, other] = [makePasskey(), makePasskey({ algorithm: "EdDSA" })]
      const person = yield* signUpWith("muninn", one)
      yield* addTo(person, "muninn", other)
      for (const passkey of [one, other]) {
        assert.deepStrictEqual(ok(yield* signInWith("muninn", passkey, { userHandle: null })), {
          id: person.id
        })
      }
    })
  )

  it.effect("works beside a password", () =>
    Effect.gen(function* () {
      yield* Cast
      const sif = yield* signUp("sif")
      const passkey = makePasskey()
      yield* addTo(sif, "sif", passkey)
      ok(yield* signInWith("sif", passkey))
      ok(yield* People.signIn("sif"))
      assert.deepStrictEqual(ok(yield* sif.get("/accounts")).auth_services, ["password", "webauthn"])
    })
  )

  it.effect("does not work with a passkey of another account", () =>
    Effect.gen(function* () {
      yield* Cast
      const [hers, his] = [makePasskey(), makePasskey()]
      yield* signUpWith("idun", hers)
      yield* signUpWith("bragi", his)
      const { options, state } = yield* askForAssertion("idun")
      assertProblem(yield* sendAssertion(his.assert(options), state), PasskeyWrong, { reason: "credential" })
      // Her passkey as far as it says, but his signature.
      const forged = { ...his.assert(options, { userHandle: null }), id: hers.id, rawId: hers.id }
      assertProblem(yield* sendAssertion(forged, state), PasskeyWrong, { reason: "response" })
      // Her own, which says that it is his.
      const confused = hers.assert(options, { userHandle: his.userHandle() ?? null })
      assertProblem(yield* sendAssertion(confused, state), PasskeyWrong, { reason: "credential" })
      const herId = ok(yield* sendAssertion(hers.assert(options), state)).id
      const byId = yield* signInWith("idun", hers, { userHandle: Buffer.from(herId).toString("base64url") })
      assertProblem(byId, PasskeyWrong, { reason: "credential" })
      ok(yield* signInWith("idun", hers))
    })
  )

  it.effect("is refused to suspended accounts before and after the challenge, whatever is sent", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey()
      const hel = yield* signUpWith("hel", passkey)
      const { options, state } = yield* askForAssertion("hel")
      yield* suspend(hel)
      assertProblem(yield* guest.get("/auth/webauthn/assert/hel"), SignInSuspended)
      assertProblem(yield* sendAssertion(passkey.assert(options), state), SignInSuspended)
      assertProblem(yield* sendAssertion(makePasskey().assert(options), state), SignInSuspended)
      yield* reinstate(hel)
      ok(yield* sendAssertion(passkey.assert(options), state))
    })
  )

  it.effect("is refused to a passkey that was given up", () =>
    Effect.gen(function* () {
      yield* Cast
      const [kept, lost] = [makePasskey(), makePasskey()]
      const person = yield* signUpWith("norn", kept)
      yield* addTo(person, "norn", lost)
      const { options, state } = yield* askForAssertion("norn")
      const { active } = ok(yield* person.get("/accounts/self/auth-methods"))
      ok(yield* person.delete(`/accounts/self/auth-methods/${active[1].id}`))
      assertProblem(yield* sendAssertion(lost.assert(options), state), PasskeyWrong, { reason: "credential" })
      ok(yield* sendAssertion(kept.assert(options), state))
    })
  )

  it.effect("makes the network known, so that strangers who guess the password do not lock it out", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { tyr } = yield* Cast
      const passkey = makePasskey()
      yield* addTo(tyr, "tyr", passkey)
      yield* sql`delete from password_attempts`
      ok(yield* signInWith("tyr", passkey))
      const known = yield* sql`select account_id from password_attempts where signed_in_at is not null`
      assert.deepStrictEqual(known, [{ account_id: tyr.id }])
    })
  )
})

layer(People.layer)("the count of signatures", (it) => {
  it.effect("may skip numbers, and neither stays nor goes back", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey()
      yield* signUpWith("counted", passkey)
      ok(yield* signInWith("counted", passkey, { counter: 1000 }))
      for (const counter of [1000, 999, 1, 0]) {
        assertProblem(yield* signInWith("counted", passkey, { counter }), PasskeyWrong, { reason: "counter" })
      }
      ok(yield* signInWith("counted", passkey, { counter: 1001 }))
      ok(yield* signInWith("counted", passkey, { counter: 4_294_967_295 }))
      assertProblem(yield* signInWith("counted", passkey, { counter: 4_294_967_295 }), PasskeyWrong, {
        reason: "counter"
      })
    })
  )

  it.effect("may begin later", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey({ counts: false })
      yield* signUpWith("late", passkey)
      ok(yield* signInWith("late", passkey))
      ok(yield* signInWith("late", passkey, { counter: 5 }))
      assertProblem(yield* signInWith("late", passkey), PasskeyWrong, { reason: "counter" })
    })
  )

  it.effect("lets one of two copies in that sign at the same time", () =>
    Effect.gen(function* () {
      yield* Cast
      const passkey = makePasskey()
      yield* signUpWith("copied", passkey)
      const asked = yield* Effect.forEach(Array(8).keys(), () => askForAssertion("copied"))
      const answers = yield* Effect.forEach(
        asked,
        ({ options, state }) => sendAssertion(passkey.assert(options, { counter: 50 }), state),
        { concurrency: "unbounded" }
      )
      const [winner, ...others] = answers.sort((a, b) => a.status - b.status)
      assert.strictEqual(winner?.status, 200)
      for (const other of others) assertProblem(other, PasskeyWrong, { reason: "counter" })
    })
  )
})
