/** The ways to sign in that an instance offers and that an account has. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { LastAuthMethod } from "../../src/domain/authentication/AuthMethod.ts"
import { EmailAddressUnknown } from "../../src/domain/authentication/EmailSignIn.ts"
import { PasskeyWrong } from "../../src/domain/authentication/Passkey.ts"
import { PasswordNotSet } from "../../src/domain/authentication/Password.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { idsOf, ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import { accountOf, addressOf, askForCode, codeMember } from "../support/emails.ts"
import { permission, withKey } from "../support/keys.ts"
import * as People from "../support/people.ts"
import { Cast, grant, guest, nobody, password, personIn, removePassword, signIn } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { addTo, askForAssertion, sendAssertion, signInWith, signUpWith } from "./support.ts"

const path = "/accounts/self/auth-methods"

const passwords = { provider: "password", name: "Password + either username or email" }
const passkeys = { provider: "webauthn", name: "WebAuthn/Passkey" }
const phones = { provider: "phone_verify", name: "Phone number + verification code" }
const codes = { provider: "email_verify", name: "Email + verification code" }

layer(People.layer)("the ways to sign in of an instance", (it) => {
  it.effect("are passwords and passkeys, and codes by phone in that mode", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const [mode, more] of [
        ["handle", []],
        ["phone", [phones]]
      ] as const) {
        ok(yield* odin.patch("/admin", { authentication_mode: mode }))
        const answer = yield* guest.get("/auth")
        assert.deepStrictEqual(ok(answer), { providers: [passwords, passkeys, ...more], mode })
      }
    })
  )
})

layer(People.layer)("the ways to sign in of an account", (it) => {
  it.effect("are its password and its passkeys, oldest first, never its access keys", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      assert.deepStrictEqual(ok(yield* freya.get(path)), {
        active: [
          {
            id: freya.id,
            created_at: "1970-01-01T00:00:00.000Z",
            name: "Password",
            identifier: freya.id,
            provider: passwords
          }
        ],
        available: [passwords, passkeys]
      })
      yield* grant(freya, permission)
      const program = yield* withKey(freya)
      const passkey = makePasskey()
      yield* addTo(freya, "freya", passkey)
      const { active } = ok(yield* freya.get(path))
      assert.strictEqual(active.length, 2)
      const added = active.find(({ id }: { readonly id: string }) => id !== freya.id)
      assert.match(added.id, /^[0-9a-v]{19}[0g]$/)
      assert.deepStrictEqual(added, {
        id: added.id,
        created_at: "1970-01-01T00:00:00.000Z",
        name: "Unknown",
        identifier: passkey.id,
        provider: passkeys
      })
      assert.deepStrictEqual(ok(yield* program.get(path)).active, active)
      assert.deepStrictEqual(ok(yield* freya.get("/accounts")).auth_services, [
        "password",
        "webauthn",
        "access_key"
      ])
    })
  )

  it.effect("are shown to the account alone", () =>
    Effect.gen(function* () {
      yield* Cast
      assertProblem(yield* guest.get(path), Unauthenticated)
      assertProblem(yield* guest.delete(`${path}/${nobody}`), Unauthenticated)
    })
  )

  it.effect("with codes by mail counts where the mode is email, and has the oldest address", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into code_sign_ins (account_id, created_at) values (${tyr.id}, 'epoch')`
      yield* sql`insert into account_emails (id, account_id, created_at, address) values
        (${nobody}, ${tyr.id}, 'epoch', 'tyr@asgard.test')`
      // No other way is offered in this mode.
      assert.strictEqual(ok(yield* tyr.get(path)).active.length, 1)
      assertProblem(yield* tyr.delete(`${path}/${tyr.id}`), LastAuthMethod)
      assert.deepStrictEqual(ok(yield* tyr.get("/accounts")).auth_services, ["password", "email_verify"])
      // It may be given up, as a password remains.
      ok(yield* tyr.delete(`${path}/${nobody}`))
      assert.deepStrictEqual(ok(yield* tyr.get("/accounts")).auth_services, ["password"])
    })
  )
})

layer(People.layer)("the ways to sign in where people sign in with their addresses", (it) => {
  it.effect("are also codes, of which an account keeps the last way like any other", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      ok(yield* odin.patch("/admin", { authentication_mode: "email" }))
      const offered = [passwords, passkeys, codes]
      assert.deepStrictEqual(ok(yield* guest.get("/auth")), { providers: offered, mode: "email" })
      const bragi = yield* codeMember("bragi")
      const [{ id }] = (yield* accountOf(bragi)).email_addresses
      const byCode = {
        id,
        created_at: "1970-01-01T00:00:00.000Z",
        name: "Email",
        identifier: addressOf("bragi"),
        provider: codes
      }
      assert.deepStrictEqual(ok(yield* bragi.get(path)), { active: [byCode], available: offered })
      assertProblem(yield* bragi.delete(`${path}/${id}`), LastAuthMethod)
      ok(yield* bragi.post("/auth/password", { password }))
      // The password goes by the id of the account.
      ok(yield* bragi.delete(`${path}/${bragi.id}`))
      assert.deepStrictEqual(ok(yield* bragi.get(path)).active, [byCode])
      ok(yield* bragi.post("/auth/password", { password }))
      ok(yield* bragi.delete(`${path}/${id}`))
      assertProblem(yield* askForCode(addressOf("bragi")), EmailAddressUnknown)
      assert.lengthOf((yield* accountOf(bragi)).email_addresses, 1)
    })
  )
})

layer(People.layer)("giving up a way to sign in", (it) => {
  it.effect("ends it at once, and no session", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const passkey = makePasskey()
      const other = personIn(yield* signIn("freya"))
      yield* addTo(freya, "freya", passkey)
      const answer = ok(yield* freya.delete(`${path}/${freya.id}`))
      assert.deepStrictEqual(
        answer.active.map(({ identifier }: { identifier: string }) => identifier),
        [passkey.id]
      )
      assert.deepStrictEqual(answer.available, [passwords, passkeys])
      assert.deepStrictEqual(ok(yield* freya.get(path)), answer)
      for (const session of [freya, other]) ok(yield* session.get("/accounts"))
      assertProblem(yield* signIn("freya"), PasswordNotSet)
      ok(yield* signInWith("freya", passkey))
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`select event from event_log where event ->> '_tag' = 'AuthMethodRemoved'`,
        [{ event: { _tag: "AuthMethodRemoved", account_id: freya.id, service: "password" } }]
      )
      ok(yield* freya.post("/auth/password", { password }))
      ok(yield* signIn("freya"))
    })
  )

  it.effect("is refused for the last one, whichever it is", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      assertProblem(yield* loki.delete(`${path}/${loki.id}`), LastAuthMethod)
      ok(yield* signIn("loki"))
      const passkey = makePasskey()
      const sif = yield* signUpWith("sif", passkey)
      const { active } = ok(yield* sif.get(path))
      assertProblem(yield* sif.delete(`${path}/${active[0].id}`), LastAuthMethod)
      ok(yield* signInWith("sif", passkey))
      // An access key is for programs.
      yield* grant(sif, permission)
      yield* withKey(sif)
      assertProblem(yield* sif.delete(`${path}/${active[0].id}`), LastAuthMethod)
    })
  )

  it.effect("changes nothing for an id that the account does not have, and refuses what is no id", () =>
    Effect.gen(function* () {
      const { odin, tyr } = yield* Cast
      const passkey = makePasskey()
      yield* addTo(tyr, "tyr", passkey)
      const { active } = ok(yield* tyr.get(path))
      const his = active.find(({ id }: { id: string }) => id !== tyr.id).id
      for (const id of [nobody, tyr.id, his]) {
        assert.deepStrictEqual(ok(yield* odin.delete(`${path}/${id}`)), ok(yield* odin.get(path)))
      }
      assert.deepStrictEqual(ok(yield* tyr.get(path)).active, active)
      for (const id of ["x", `${nobody}0`, "0000000000000000000w"]) {
        assertInvalid(yield* odin.delete(`${path}/${id}`), "path auth_method_id")
      }
      // Twice the same.
      const once = ok(yield* tyr.delete(`${path}/${his}`))
      assert.deepStrictEqual(ok(yield* tyr.delete(`${path}/${his}`)), once)
    })
  )

  it.effect("never leaves none, when all are given up at the same time", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const _ of Array(3).keys()) yield* addTo(odin, "odin")
      const { active } = ok(yield* odin.get(path))
      assert.strictEqual(active.length, 4)
      const answers = yield* Effect.forEach(idsOf(active), (id) => odin.delete(`${path}/${id}`), {
        concurrency: "unbounded"
      })
      const refused = answers.filter(({ status }) => status !== 200)
      assert.strictEqual(refused.length, 1)
      for (const answer of refused) assertProblem(answer, LastAuthMethod)
      assert.strictEqual(ok(yield* odin.get(path)).active.length, 1)
    })
  )

  it.effect("stops a sign-in that has begun", () =>
    Effect.gen(function* () {
      const passkey = makePasskey()
      const hel = yield* signUpWith("hel", passkey)
      yield* addTo(hel, "hel")
      const { options, state } = yield* askForAssertion("hel")
      const { active } = ok(yield* hel.get(path))
      ok(yield* hel.delete(`${path}/${active[0].id}`))
      assertProblem(yield* sendAssertion(passkey.assert(options), state), PasskeyWrong, {
        reason: "credential"
      })
    })
  )

  it.effect("of an account that has none that works needs another one first", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      yield* removePassword(loki)
      assert.deepStrictEqual(ok(yield* loki.get(path)).active, [])
      assert.deepStrictEqual(ok(yield* loki.delete(`${path}/${loki.id}`)).active, [])
    })
  )
})
