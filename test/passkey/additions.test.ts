/** Adding passkeys to an account. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { HandleTaken } from "../../src/domain/account/Account.ts"
import { PasskeyInvalid, PasskeyTaken, TooManyPasskeys } from "../../src/domain/authentication/Passkey.ts"
import { SignInSuspended } from "../../src/domain/authentication/Password.ts"
import { ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import * as People from "../support/people.ts"
import { Cast, guest, signUp, suspend } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import { addTo, askForCreation, sendCreation, signInWith } from "./support.ts"

const maximum = 20

layer(People.layer)("adding a passkey to one's account", (it) => {
  it.effect("asks for one that the account does not have, under the name that its passkeys know it by", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      ok(yield* freya.patch("/accounts", { name: "Freya of Folkvang" }))
      const passkey = makePasskey()
      const again = yield* addTo(freya, "freya", passkey)
      assert.strictEqual(again.id, freya.id)
      assert.notStrictEqual(again.cookie, freya.cookie)
      assert.strictEqual(ok(yield* again.get("/accounts")).handle, "freya")
      assert.strictEqual(passkey.userHandle()?.length, 43)
      const { options } = yield* askForCreation("FREYA", freya)
      assert.deepStrictEqual(options.publicKey.user, {
        id: passkey.userHandle(),
        name: "freya",
        displayName: "Freya of Folkvang"
      })
      assert.deepStrictEqual(options.publicKey.excludeCredentials, [
        { type: "public-key", id: passkey.id, transports: ["internal"] }
      ])
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql`select event ->> 'account_id' as of from event_log
        where event ->> '_tag' = 'PasskeyAdded' and actor_id = ${freya.id}`
      assert.deepStrictEqual(events, [{ of: freya.id }])
    })
  )

  it.effect("is done by the session that asked, and by no other", () =>
    Effect.gen(function* () {
      const { loki, tyr } = yield* Cast
      const { options, state } = yield* askForCreation("loki", loki)
      const credential = makePasskey().create(options)
      for (const person of [guest, tyr]) {
        assertProblem(yield* sendCreation(credential, state, { person }), PasskeyInvalid, {
          reason: "challenge"
        })
      }
      ok(yield* sendCreation(credential, state, { person: loki }))
      const other = yield* askForCreation("loki", loki)
      ok(yield* loki.get("/accounts"))
      assert.strictEqual((yield* loki.post("/auth/logout")).status, 302)
      assertProblem(
        yield* sendCreation(makePasskey().create(other.options), other.state, { person: loki }),
        PasskeyInvalid,
        { reason: "challenge" }
      )
    })
  )

  it.effect("is refused to suspended accounts, before and after the challenge", () =>
    Effect.gen(function* () {
      const hel = yield* signUp("hel")
      const { options, state } = yield* askForCreation("hel", hel)
      yield* suspend(hel)
      assertProblem(yield* hel.get("/auth/webauthn/make/hel"), SignInSuspended)
      assertProblem(
        yield* sendCreation(makePasskey().create(options), state, { person: hel }),
        SignInSuspended
      )
    })
  )

  it.effect("is refused with a passkey that it or another account has", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sif = yield* signUp("sif")
      const passkey = makePasskey()
      yield* addTo(sif, "sif", passkey)
      for (const [person, handle] of [
        [sif, "sif"],
        [odin, "odin"]
      ] as const) {
        const { options, state } = yield* askForCreation(handle, person)
        assertProblem(yield* sendCreation(passkey.create(options), state, { person }), PasskeyTaken)
      }
      assert.deepStrictEqual(ok(yield* odin.get("/accounts")).auth_services, ["password"])
    })
  )

  it.effect("is for a handle that the account still has, and for one that another account left", () =>
    Effect.gen(function* () {
      const skadi = yield* signUp("skadi")
      const { options, state } = yield* askForCreation("skadi", skadi)
      ok(yield* skadi.patch("/accounts", { handle: "ondurgud" }))
      // The state is of the account, whatever it is called.
      ok(yield* sendCreation(makePasskey().create(options), state, { person: skadi }))
      const left = yield* askForCreation("skadi", skadi)
      assert.notStrictEqual(left.options.publicKey.user.id, options.publicKey.user.id)
      assertProblem(yield* guest.get("/auth/webauthn/make/ondurgud"), HandleTaken, { handle: "ondurgud" })
    })
  )

  it.effect("is possible twenty times, in parallel too", () =>
    Effect.gen(function* () {
      const njord = yield* signUp("njord")
      const passkeys = [...Array(maximum + 5)].map(() => makePasskey({ algorithm: "EdDSA" }))
      const asked = yield* Effect.forEach(passkeys, () => askForCreation("njord", njord))
      const answers = yield* Effect.forEach(
        asked,
        ({ options, state }, index) =>
          sendCreation(passkeys[index]?.create(options), state, { person: njord }),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.strictEqual(refused.length, 5)
      for (const answer of refused) assertProblem(answer, TooManyPasskeys, { maximum })
      assertProblem(yield* njord.get("/auth/webauthn/make/njord"), TooManyPasskeys, { maximum })
      const { active } = ok(yield* njord.get("/accounts/self/auth-methods"))
      assert.strictEqual(active.length, 1 + maximum)
      ok(yield* njord.delete(`/accounts/self/auth-methods/${active[1].id}`))
      const last = makePasskey()
      yield* addTo(njord, "njord", last)
      ok(yield* signInWith("njord", last))
    })
  )
})
