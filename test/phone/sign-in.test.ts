/** Signing in with a phone number, and what accounts show of it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { HandleTaken } from "../../src/domain/account/Account.ts"
import { LastAuthMethod } from "../../src/domain/authentication/AuthMethod.ts"
import { SignInSuspended, TooManyAttempts } from "../../src/domain/authentication/Password.ts"
import { PhoneCodeWrong } from "../../src/domain/authentication/PhoneSignIn.ts"
import { SmsDisabled } from "../../src/domain/sms/SmsRefusal.ts"
import { ok } from "../support/answers.ts"
import { accountOf } from "../support/emails.ts"
import { otherThan } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, guest, password, personIn, reinstate, signIn, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import { askForCode, codeTo, confirm, forgetTexts, lastTextTo, phoneMember, sendBack } from "./support.ts"

const path = "/accounts/self/auth-methods"
const phones = { provider: "phone_verify", name: "Phone number + verification code" }

layer(Layer.provideMerge(TestApp.uncached, People.layer))("signing in with a phone number", (it) => {
  it.effect("begins a session beside others, with the handle in any case and the code as it is", () =>
    Effect.gen(function* () {
      const number = "+491512000001"
      const vali = yield* phoneMember("vali", number)
      ok(yield* askForCode("VALI", number))
      const code = yield* codeTo(number)
      assertInvalid(yield* sendBack("vali", "x".repeat(101)), "body code")
      for (const other of [`${code} `, "", "x".repeat(100)]) {
        assertProblem(yield* sendBack("vali", other), PhoneCodeWrong)
      }
      assertProblem(yield* sendBack("odin", code), PhoneCodeWrong)
      assertProblem(yield* sendBack("nobody-at-all", code), PhoneCodeWrong)
      const answer = yield* sendBack("Vali", code)
      assert.deepStrictEqual(ok(answer), { id: vali.id })
      for (const person of [vali, personIn(answer)]) {
        assert.strictEqual((yield* accountOf(person)).verified_status, "none")
      }
      assertProblem(yield* sendBack("vali", code), PhoneCodeWrong)
      yield* forgetTexts
    })
  )

  it.effect("goes by the current handle", () =>
    Effect.gen(function* () {
      const number = "+491512000002"
      const ran = yield* phoneMember("ran", number)
      ok(yield* ran.patch("/accounts", { handle: "raan" }))
      ok(yield* askForCode("raan", number))
      assert.include(yield* lastTextTo(number), "for raan on ")
      assert.deepStrictEqual(ok(yield* confirm("raan", number)), { id: ran.id })
      yield* forgetTexts
    })
  )

  it.effect("is refused to suspended accounts; reinstating makes the code good again", () =>
    Effect.gen(function* () {
      const number = "+491512000003"
      const gerd = yield* phoneMember("gerd", number)
      ok(yield* askForCode("gerd", number))
      const code = yield* codeTo(number)
      yield* suspend(gerd)
      for (const asked of [number, "+491512999999"])
        assertProblem(yield* askForCode("gerd", asked), SignInSuspended)
      assertProblem(yield* sendBack("gerd", otherThan(code)), PhoneCodeWrong)
      for (let times = 0; times < 6; times++) assertProblem(yield* sendBack("gerd", code), SignInSuspended)
      yield* reinstate(gerd)
      ok(yield* sendBack("gerd", code))
      yield* forgetTexts
    })
  )

  it.effect("works once, also of twenty requests at the same time, on two instances", () =>
    Effect.gen(function* () {
      const number = "+491512000004"
      const idun = yield* phoneMember("idun", number)
      ok(yield* askForCode("idun", number))
      const request = sendBack("idun", yield* codeTo(number))
      const elsewhere = Effect.provideService(request, HttpClient.HttpClient, yield* TestApp.UncachedClient)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, number) => (number % 2 === 0 ? request : elsewhere)),
        (one) => one,
        { concurrency: "unbounded" }
      )
      const [signedIn, ...others] = answers.sort((one, other) => one.status - other.status)
      assert.deepStrictEqual(signedIn?.json, { id: idun.id })
      for (const answer of others) assertProblem(answer, PhoneCodeWrong)
      yield* forgetTexts
    })
  )

  it.effect("counts wrong codes with wrong passwords of the account", () =>
    Effect.gen(function* () {
      const number = "+491512000005"
      const hod = yield* phoneMember("hod", number)
      ok(yield* hod.post("/auth/password", { password }))
      for (let round = 0; round < 2; round++) {
        ok(yield* askForCode("hod", number))
        const wrong = otherThan(yield* codeTo(number))
        for (let times = 0; times < 5; times++) assertProblem(yield* sendBack("hod", wrong), PhoneCodeWrong)
      }
      ok(yield* askForCode("hod", number))
      assertProblem(yield* confirm("hod", number), TooManyAttempts, { retry_after: 900 })
      assertProblem(yield* signIn("hod"), TooManyAttempts)
      yield* TestClock.adjust("15 minutes")
      ok(yield* confirm("hod", number))
      yield* forgetTexts
    })
  )

  it.effect("is a way to sign in that staff see and find, without the number", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const number = "+491512000006"
      const sif = yield* phoneMember("sif", number)
      const shown = yield* odin.get(`/accounts/${sif.id}`)
      assert.deepStrictEqual(ok(shown).auth_services, ["phone_verify"])
      const listed = yield* odin.get("/admin/accounts?auth_service=phone_verify&q=sif")
      assert.deepStrictEqual(
        ok(listed).accounts.map(({ handle }: { readonly handle: string }) => handle),
        ["sif"]
      )
      const profile = yield* guest.get("/profiles/sif")
      for (const { text } of [shown, listed, profile]) assert.notInclude(text, number.slice(1))
      const none = ok(yield* odin.get(`/admin/accounts?q=${number.slice(1)}`))
      assert.deepStrictEqual(none.accounts, [])
    })
  )

  it.effect("ends when the account gives it up: the number is free again, and its code is none", () =>
    Effect.gen(function* () {
      const number = "+491512000007"
      const hel = yield* phoneMember("hel", number)
      // In this mode no codes are offered.
      assert.deepStrictEqual(ok(yield* hel.get(path)).active, [])
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{
        readonly id: string
      }>`select id from phone_numbers where phone_number = ${number}`
      assertProblem(yield* hel.delete(`${path}/${row?.id}`), LastAuthMethod)
      ok(yield* hel.post("/auth/password", { password }))
      ok(yield* askForCode("hel", number))
      const code = yield* codeTo(number)
      ok(yield* hel.delete(`${path}/${row?.id}`))
      assertProblem(yield* sendBack("hel", code), PhoneCodeWrong)
      assertProblem(yield* askForCode("hel", number), HandleTaken, { handle: "hel" })
      assert.deepStrictEqual((yield* accountOf(hel)).auth_services, ["password"])
      assert.lengthOf(yield* sql`select from phone_codes where phone_id = ${row?.id ?? ""}`, 0)
      ok(yield* askForCode("hel-too", number))
      ok(yield* confirm("hel-too", number))
      yield* forgetTexts
    })
  )

  it.effect("goes with the account", () =>
    Effect.gen(function* () {
      const number = "+491512000008"
      const ve = yield* phoneMember("ve", number)
      ok(yield* askForCode("ve", number))
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from event_log where actor_id = ${ve.id}`
      yield* sql`delete from accounts where id = ${ve.id}`
      assert.lengthOf(yield* sql`select from phone_numbers where phone_number = ${number}`, 0)
      yield* forgetTexts
    })
  )

  it.effect("has codes that are stored nowhere: they are made of what is", () =>
    Effect.gen(function* () {
      const number = "+491512000009"
      yield* phoneMember("frigg", number)
      ok(yield* askForCode("frigg", number))
      const code = yield* codeTo(number)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly t: string }>`select t::text from phone_codes t
        union all select t::text from phone_numbers t union all select t::text from event_log t`
      for (const { t } of rows) assert.notInclude(t, code)
      yield* forgetTexts
    })
  )
})

layer(People.layer)("where people sign in with their phones", (it) => {
  it.effect("codes to numbers are offered, and are the last way to sign in like any other", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      ok(yield* odin.patch("/admin", { authentication_mode: "phone" }))
      const { mode, providers } = ok(yield* guest.get("/auth"))
      assert.strictEqual(mode, "phone")
      assert.deepStrictEqual(providers.at(-1), phones)
      const info = ok(yield* guest.get("/info"))
      assert.strictEqual(info.authentication_mode, "phone")
      assert.include(info.capabilities, "sms_client")
      const number = "+491512000001"
      const bragi = yield* phoneMember("bragi", number)
      const { active } = ok(yield* bragi.get(path))
      assert.deepStrictEqual(active, [
        {
          id: active[0].id,
          created_at: "1970-01-01T00:00:00.000Z",
          name: "Phone",
          identifier: number,
          provider: phones
        }
      ])
      assertProblem(yield* bragi.delete(`${path}/${active[0].id}`), LastAuthMethod)
      ok(yield* bragi.post("/auth/password", { password }))
      ok(yield* bragi.delete(`${path}/${active[0].id}`))
      assert.deepStrictEqual((yield* accountOf(bragi)).auth_services, ["password"])
    })
  )
})

layer(People.withCast(TestApp.withoutTexts))("without a provider of text messages", (it) => {
  it.effect("nobody signs up or in with a number, whatever they send, and nothing is offered", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      for (const answer of [
        yield* askForCode("new", "+491512000001"),
        yield* askForCode("odin", "no number"),
        yield* guest.post("/auth/phone", {}),
        yield* sendBack("odin", "123456"),
        yield* guest.put("/auth/phone/odin", {})
      ]) {
        assertProblem(answer, SmsDisabled)
      }
      ok(yield* odin.patch("/admin", { authentication_mode: "phone" }))
      const { mode, providers } = ok(yield* guest.get("/auth"))
      assert.strictEqual(mode, "handle")
      assert.notInclude(
        providers.map(({ provider }: { readonly provider: string }) => provider),
        "phone_verify"
      )
      assert.deepStrictEqual(ok(yield* guest.get("/info")).capabilities, ["plugins", "email_client", "oauth"])
    })
  )
})
