/** Signing up with a handle and a phone number: an account is made once the code has been sent back. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { HandleInvalid, HandleTaken } from "../../src/domain/account/Account.ts"
import { RegistrationClosed } from "../../src/domain/authentication/Password.ts"
import { PhoneAuth } from "../../src/domain/authentication/PhoneAuth.ts"
import { PhoneCodeWrong } from "../../src/domain/authentication/PhoneSignIn.ts"
import { ok } from "../support/answers.ts"
import { accountOf } from "../support/emails.ts"
import { otherThan } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, personIn } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"
import {
  askForCode,
  codeTo,
  confirm,
  forgetTexts,
  lastTextTo,
  phoneMember,
  sendBack,
  textsTo
} from "./support.ts"

layer(TestApp.layer)("the first account", (it) => {
  it.effect("may be made with a number, and becomes administrator with the code", () =>
    Effect.gen(function* () {
      const number = "+491512000001"
      const asked = yield* askForCode("Odin", "+49 (0) 1512 / 000-001")
      assert.deepStrictEqual(ok(asked), { id: "" })
      assert.isUndefined(asked.headers["set-cookie"])
      assert.match(
        yield* lastTextTo(number),
        /^\d{6} is your code for odin on .+\. It is valid for one hour\. /
      )
      assert.deepStrictEqual(ok(yield* guest.get("/profiles")).profiles, [])
      const answer = yield* confirm("ODIN", number)
      const odin = personIn(answer)
      assert.deepStrictEqual(ok(answer), { id: odin.id })
      const account = yield* accountOf(odin)
      assert.deepInclude(account, {
        handle: "odin",
        name: "odin",
        admin: true,
        verified_status: "none",
        email_addresses: [],
        auth_services: ["phone_verify"]
      })
      for (const text of [asked.text, answer.text, JSON.stringify(account)])
        assert.notInclude(text, "1512000001")
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("signing up with a phone number", (it) => {
  it.effect(
    "makes nothing before the code has been sent back, and then one account that has the number",
    () =>
      Effect.gen(function* () {
        const number = "+491512000010"
        ok(yield* askForCode("bragi", number))
        assert.strictEqual((yield* guest.get("/profiles/bragi")).status, 404)
        assertProblem(yield* sendBack("bragi", otherThan(yield* codeTo(number))), PhoneCodeWrong)
        assert.strictEqual((yield* guest.get("/profiles/bragi")).status, 404)
        const bragi = personIn(yield* confirm("bragi", number))
        assert.strictEqual((yield* accountOf(bragi)).handle, "bragi")
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(
          yield* sql`select account_id, phone_number, handle, handle_key, network from phone_numbers
          where phone_number = ${number}`,
          [{ account_id: bragi.id, phone_number: number, handle: null, handle_key: null, network: null }]
        )
        yield* forgetTexts
      })
  )

  it.effect("refuses what is wrong in the order of sign-up by mail, and sends nothing", () =>
    Effect.gen(function* () {
      const number = "+491512000011"
      assertInvalid(yield* askForCode("tyr-too", "0151 2000011"), "body phone_number")
      assertInvalid(yield* askForCode("tyr-too", `+49${"1".repeat(100)}`), "body phone_number")
      assertInvalid(yield* askForCode("x".repeat(1001), number), "body identifier")
      assertInvalid(yield* askForCode("tyr-too", number, "?invitation_id=x"), "query invitation_id")
      const uninvited = `?invitation_id=${nobody}`
      assertProblem(yield* askForCode("TYR", number, uninvited), HandleTaken, { handle: "tyr" })
      assertProblem(yield* askForCode("-x", number, uninvited), RegistrationClosed)
      assertProblem(yield* askForCode("-x", number), HandleInvalid)
      assert.deepStrictEqual(yield* textsTo(number), [])
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from phone_numbers where phone_number = ${number}`, 0)
      assert.lengthOf(yield* sql`select from text_message_counts where name = ${`number ${number}`}`, 0)
    })
  )

  it.effect("says which form a number has to have", () =>
    Effect.gen(function* () {
      const { json } = yield* askForCode("vili", "12345")
      assert.include(JSON.stringify(json.metadata.issues), "international form (E.164)")
    })
  )

  it.effect("goes by the rules of registration, when the code is asked for and when it is sent back", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const number = "+491512000012"
      ok(yield* odin.patch("/admin", { registration_mode: "invitation" }))
      assertProblem(yield* askForCode("vidar", number), RegistrationClosed)
      const { id } = ok(yield* odin.post("/invitations", {}))
      ok(yield* askForCode("vidar", number, `?invitation_id=${id}`))
      ok(yield* odin.patch("/admin", { registration_mode: "disabled" }))
      assertProblem(yield* confirm("vidar", number), RegistrationClosed)
      ok(yield* odin.patch("/admin", { registration_mode: "invitation" }))
      const vidar = personIn(yield* confirm("vidar", number))
      assert.strictEqual((yield* accountOf(vidar)).invited_by.handle, "odin")
      ok(yield* odin.patch("/admin", { registration_mode: "public" }))
      yield* forgetTexts
    })
  )

  it.effect("takes the invitation of the last request from the same network", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const number = "+491512000013"
      const { id } = ok(yield* odin.post("/invitations", {}))
      ok(yield* askForCode("vali", number))
      ok(yield* askForCode("vali", number, `?invitation_id=${id}`))
      const vali = personIn(yield* confirm("vali", number))
      assert.strictEqual((yield* accountOf(vali)).invited_by.handle, "odin")
      yield* forgetTexts
    })
  )

  it.effect("answers alike whatever is known, and tells only the number", () =>
    Effect.gen(function* () {
      const [known, unknown] = ["+491512000020", "+491512000021"]
      yield* phoneMember("forseti", known)
      const answers = [
        // The account and its number; with another number; another handle with the number; neither.
        yield* askForCode("forseti", known),
        yield* askForCode("forseti", unknown),
        yield* askForCode("hermod", known),
        yield* askForCode("ran", unknown)
      ]
      for (const answer of answers) {
        assert.deepStrictEqual(ok(answer), { id: "" })
        assert.isUndefined(answer.headers["set-cookie"])
      }
      const [, signIn, elsewhere] = yield* textsTo(known)
      assert.match(signIn ?? "", /^\d{6} is your code for forseti/)
      assert.match(elsewhere ?? "", /^This number belongs to forseti on .+\. Sign in with that handle\./)
      const [foreign, signUp] = yield* textsTo(unknown)
      assert.match(foreign ?? "", /^Somebody else has the handle forseti on .+\. Choose another handle\./)
      assert.match(signUp ?? "", /^\d{6} is your code for ran/)
      for (const text of [elsewhere ?? "", foreign ?? ""]) assert.notMatch(text, /\d{6}/)
      // Nobody signs up with a number that an account has.
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from phone_numbers where handle = 'hermod'`, 0)
      assertProblem(yield* confirm("hermod", unknown), PhoneCodeWrong)
      yield* forgetTexts
    })
  )

  it.effect("keeps the handle for who waits for the code, until the code is no longer valid", () =>
    Effect.gen(function* () {
      const [first, second] = ["+491512000030", "+491512000031"]
      ok(yield* askForCode("nanna", first))
      ok(yield* askForCode("NANNA", second))
      assert.match(yield* lastTextTo(second), /^Somebody else has the handle nanna /)
      const code = yield* codeTo(first)
      yield* TestClock.adjust("1 hour")
      assertProblem(yield* sendBack("nanna", code), PhoneCodeWrong)
      ok(yield* askForCode("nanna", second))
      assertProblem(yield* sendBack("nanna", code), PhoneCodeWrong)
      const nanna = personIn(yield* confirm("nanna", second))
      assert.strictEqual((yield* accountOf(nanna)).handle, "nanna")
      yield* forgetTexts
    })
  )

  it.effect("fails if the handle has been taken meanwhile, and the number stays free", () =>
    Effect.gen(function* () {
      const number = "+491512000032"
      ok(yield* askForCode("snotra", number))
      yield* People.signUp("snotra")
      assertProblem(yield* sendBack("snotra", otherThan(yield* codeTo(number))), PhoneCodeWrong)
      assertProblem(yield* confirm("snotra", number), HandleTaken, { handle: "snotra" })
      const other = yield* phoneMember("snotra-too", number)
      assert.strictEqual((yield* accountOf(other)).handle, "snotra-too")
    })
  )

  it.effect("gives a number to one account, whichever sign-up comes first", () =>
    Effect.gen(function* () {
      const number = "+491512000033"
      ok(yield* askForCode("var", number))
      const first = yield* codeTo(number)
      ok(yield* askForCode("var-too", number))
      ok(yield* confirm("var-too", number))
      assertProblem(yield* sendBack("var", first), PhoneCodeWrong)
      assert.strictEqual((yield* guest.get("/profiles/var")).status, 404)
      yield* forgetTexts
    })
  )

  it.effect("makes one account of twenty requests with the code at the same time, on two instances", () =>
    Effect.gen(function* () {
      const number = "+491512000034"
      ok(yield* askForCode("idun", number))
      const request = sendBack("idun", yield* codeTo(number))
      const elsewhere = Effect.provideService(request, HttpClient.HttpClient, yield* TestApp.UncachedClient)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, number) => (number % 2 === 0 ? request : elsewhere)),
        (one) => one,
        { concurrency: "unbounded" }
      )
      const [signedIn, ...others] = answers.sort((one, other) => one.status - other.status)
      assert.strictEqual(ok(signedIn ?? assert.fail()).id, personIn(signedIn ?? assert.fail()).id)
      for (const answer of others) assertProblem(answer, PhoneCodeWrong)
      yield* forgetTexts
    })
  )

  it.effect("is forgotten with its code", () =>
    Effect.gen(function* () {
      const number = "+491512000035"
      ok(yield* askForCode("lofn", number))
      const { forgetCodes } = yield* PhoneAuth
      const sql = yield* SqlClient.SqlClient
      const mine = sql`select from phone_numbers where phone_number = ${number}`
      yield* TestClock.adjust("59 minutes")
      yield* forgetCodes
      assert.lengthOf(yield* mine, 1)
      yield* TestClock.adjust("1 minute")
      yield* forgetCodes
      assert.lengthOf(yield* mine, 0)
      yield* forgetTexts
    })
  )
})
