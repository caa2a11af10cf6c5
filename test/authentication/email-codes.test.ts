/** Signing up and in with a code that is sent to an email address. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { HandleInvalid, HandleTaken } from "../../src/domain/account/Account.ts"
import { EmailAuth } from "../../src/domain/authentication/EmailAuth.ts"
import { CodeWrong, EmailAddressUnknown } from "../../src/domain/authentication/EmailSignIn.ts"
import {
  RegistrationClosed,
  SignInSuspended,
  TooManyAttempts
} from "../../src/domain/authentication/Password.ts"
import { MailLimitReached } from "../../src/domain/mail/Outbox.ts"
import { type Answer, ok } from "../support/answers.ts"
import {
  accountOf,
  addressOf,
  askForCode,
  codeMember,
  confirm,
  emailMember,
  signUpByCode,
  verify
} from "../support/emails.ts"
import { codeTo, forgetMails, lastMailTo, mailsTo, otherThan } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, call, nobody, personIn, reinstate, signIn, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const together = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array(count).fill(effect), (one: typeof effect) => one, { concurrency: "unbounded" })

/** An answer without a body that signs nobody in. */
const assertKnown = (answer: Answer) => {
  assert.strictEqual(answer.status, 422, answer.text)
  assert.strictEqual(answer.text, "")
  assert.isUndefined(answer.headers["set-cookie"])
}

layer(TestApp.layer)("signing up with an email address alone", (it) => {
  it.effect("makes an account without a password, signed in, with an address that is not verified", () =>
    Effect.gen(function* () {
      const answer = yield* signUpByCode({ email: "ODIN@asgard.example", handle: "Odin" })
      const odin = personIn(answer)
      assert.deepStrictEqual(ok(answer), { id: odin.id })
      const account = yield* accountOf(odin)
      assert.deepInclude(account, {
        handle: "odin",
        admin: true,
        verified_status: "none",
        auth_services: ["email_verify"]
      })
      const [{ email_address, verified }] = account.email_addresses
      assert.deepStrictEqual(
        { email_address, verified },
        { email_address: "odin@asgard.example", verified: false }
      )
      const mail = yield* lastMailTo("odin@asgard.example")
      assert.match(mail.subject, /^Welcome to .+!$/)
      assert.strictEqual(mail.recipient_name, "odin")
      assert.match(mail.text_body, /verify your account: \d{6}\n/)
    })
  )

  it.effect("makes a handle if none is given", () =>
    Effect.gen(function* () {
      const answer = yield* signUpByCode({ email: "somebody@asgard.example" })
      assert.match((yield* accountOf(personIn(answer))).handle, /^[a-z]+-[a-z]+$/)
    })
  )

  it.effect("sends a known address another code, whatever else the request says, and signs nobody in", () =>
    Effect.gen(function* () {
      yield* codeMember("freya")
      const email = addressOf("freya")
      const first = yield* codeTo(email)
      assertKnown(yield* signUpByCode({ email: "FREYA@asgard.example", handle: "freya" }))
      assertKnown(yield* signUpByCode({ email, handle: "-x" }, `?invitation_id=${nobody}`))
      assert.lengthOf(yield* mailsTo(email), 3)
      const last = yield* codeTo(email)
      assert.notStrictEqual(last, first)
      assertProblem(yield* verify(email, first), CodeWrong)
      ok(yield* verify(email, last))
    })
  )

  it.effect("sends an account with a password another code likewise", () =>
    Effect.gen(function* () {
      const loki = yield* emailMember("loki")
      assertKnown(yield* signUpByCode({ email: addressOf("loki") }))
      assert.deepStrictEqual(ok(yield* confirm(addressOf("loki"))), { id: loki.id })
      assert.deepStrictEqual((yield* accountOf(loki)).auth_services, ["password"])
    })
  )

  it.effect("refuses what is wrong in the order of the contract, and makes nothing", () =>
    Effect.gen(function* () {
      yield* codeMember("tyr")
      const email = "new@asgard.example"
      assertInvalid(yield* signUpByCode({ email: "not an address" }), "body email")
      assertInvalid(yield* signUpByCode({ email }, "?invitation_id=x"), "query invitation_id")
      const uninvited = `?invitation_id=${nobody}`
      assertProblem(yield* signUpByCode({ email, handle: "TYR" }, uninvited), HandleTaken, { handle: "tyr" })
      assertProblem(yield* signUpByCode({ email, handle: "-x" }, uninvited), RegistrationClosed)
      assertProblem(yield* signUpByCode({ email, handle: "-x" }), HandleInvalid)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from account_emails where address = ${email}`, 0)
      assert.lengthOf(yield* mailsTo(email), 0)
    })
  )

  it.effect("sends an address no more than five mails an hour, and keeps the last code", () =>
    Effect.gen(function* () {
      yield* codeMember("sif")
      const email = addressOf("sif")
      for (let number = 1; number < 5; number++) assertKnown(yield* signUpByCode({ email }))
      const last = yield* codeTo(email)
      assertProblem(yield* signUpByCode({ email }), MailLimitReached)
      assertProblem(yield* askForCode(email), MailLimitReached)
      assert.lengthOf(yield* mailsTo(email), 5)
      ok(yield* verify(email, last))
    })
  )

  it.effect("makes one account of fifty requests with an address at the same time", () =>
    Effect.gen(function* () {
      const email = "many@asgard.example"
      const answers = yield* together(50, signUpByCode({ email }))
      const of = (status: number) => answers.filter((answer) => answer.status === status)
      assert.lengthOf(of(200), 1)
      assert.lengthOf(of(422), 4)
      for (const answer of of(422)) assertKnown(answer)
      assert.lengthOf(of(403), 45)
      for (const answer of of(403)) assertProblem(answer, MailLimitReached)
      assert.lengthOf(yield* mailsTo(email), 5)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from account_emails where address = ${email}`, 1)
    })
  )
})

layer(People.layer)("asking for a code to sign in", (it) => {
  it.effect("sends one to accounts that sign in with codes, and tells nobody which account it is", () =>
    Effect.gen(function* () {
      const vali = yield* codeMember("vali")
      const email = addressOf("vali")
      const first = yield* codeTo(email)
      const answer = yield* askForCode("VALI@asgard.example")
      assert.deepStrictEqual(ok(answer), { id: "" })
      assert.isUndefined(answer.headers["set-cookie"])
      const second = yield* codeTo(email)
      assert.notStrictEqual(second, first)
      assertProblem(yield* verify(email, first), CodeWrong)
      assert.deepStrictEqual(ok(yield* verify(email, second)), { id: vali.id })
    })
  )

  it.effect("is refused for addresses that nobody has, for other accounts, and for suspended ones", () =>
    Effect.gen(function* () {
      yield* emailMember("hel")
      const bragi = yield* codeMember("bragi")
      yield* suspend(bragi)
      assertInvalid(yield* askForCode("not an address"), "body email")
      assertProblem(yield* askForCode("nobody@asgard.example"), EmailAddressUnknown)
      assertProblem(yield* askForCode(addressOf("hel")), EmailAddressUnknown)
      assertProblem(yield* askForCode(addressOf("bragi")), SignInSuspended)
      for (const handle of ["hel", "bragi"]) assert.lengthOf(yield* mailsTo(addressOf(handle)), 1)
    })
  )

  it.effect("names the account by its current name", () =>
    Effect.gen(function* () {
      const ran = yield* codeMember("ran")
      ok(yield* ran.patch("/accounts", { name: "Rán of evil.example/x", handle: "raan" }))
      ok(yield* askForCode(addressOf("ran")))
      const mail = yield* lastMailTo(addressOf("ran"))
      assert.match(mail.recipient_name, /^Rán/)
      assert.include(mail.text_body, "the account raan")
      assert.notInclude(mail.text_body + mail.html_body + mail.recipient_name, "evil.example/")
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("sending a code back", (it) => {
  it.effect("signs in beside other sessions and verifies the address and the account", () =>
    Effect.gen(function* () {
      const vali = yield* codeMember("vali")
      const email = addressOf("vali")
      const { etag } = (yield* vali.get("/accounts")).headers
      const answer = yield* confirm(email)
      assert.deepStrictEqual(ok(answer), { id: vali.id })
      for (const person of [vali, personIn(answer)]) {
        const account = yield* accountOf(person)
        assert.strictEqual(account.verified_status, "verified_email")
        assert.strictEqual(account.email_addresses[0].verified, true)
      }
      const stale = { headers: { "if-none-match": etag ?? "" } }
      assert.strictEqual((yield* vali.get("/accounts", stale)).status, 200)
      const sql = yield* SqlClient.SqlClient
      const [{ id }] = (yield* accountOf(vali)).email_addresses
      const events = yield* sql<{ readonly event: object }>`select event from event_log
        where actor_id = ${vali.id} and event ->> '_tag' = 'EmailAddressVerified'`
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        [{ _tag: "EmailAddressVerified", account_id: vali.id, email_address_id: id, verified: true }]
      )
      // Another code for a verified address changes nothing.
      ok(yield* askForCode(email))
      const { updatedAt } = yield* accountOf(vali)
      yield* TestClock.adjust("1 minute")
      ok(yield* confirm(email))
      assert.strictEqual((yield* accountOf(vali)).updatedAt, updatedAt)
    })
  )

  it.effect.each(["none", "manual"])(
    "verifies an account again that staff have set to %s",
    (verified_status) =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const handle = `set-to-${verified_status}`
        const person = yield* codeMember(handle)
        ok(yield* confirm(addressOf(handle)))
        const set = ok(yield* odin.patch(`/accounts/${person.id}`, { verified_status }))
        assert.strictEqual(set.verified_status, verified_status)
        assert.strictEqual(set.email_addresses[0].verified, true)
        ok(yield* askForCode(addressOf(handle)))
        ok(yield* confirm(addressOf(handle)))
        assert.strictEqual((yield* accountOf(person)).verified_status, "verified_email")
      })
  )

  it.effect("takes the address in any case, and the code as it is", () =>
    Effect.gen(function* () {
      yield* codeMember("hod")
      const email = addressOf("hod")
      const code = yield* codeTo(email)
      assertInvalid(yield* verify("x", code), "body email")
      assertInvalid(yield* People.guest.post("/auth/email/verify", {}), "body code", "body email")
      for (const other of [`${code} `, "", "x".repeat(100)]) {
        assertProblem(yield* verify(email, other), CodeWrong)
      }
      assertInvalid(yield* verify(email, "x".repeat(101)), "body code")
      ok(yield* verify("HOD@asgard.example", code))
    })
  )

  it.effect("works once, also of twenty requests at the same time, on two instances", () =>
    Effect.gen(function* () {
      const idun = yield* codeMember("idun")
      const email = addressOf("idun")
      const request = verify(email, yield* codeTo(email))
      const elsewhere = Effect.provideService(request, HttpClient.HttpClient, yield* TestApp.UncachedClient)
      const halves = [together(10, request), together(10, elsewhere)]
      const answers = (yield* Effect.all(halves, { concurrency: "unbounded" })).flat()
      const [signedIn, ...others] = answers.sort((one, other) => one.status - other.status)
      assert.deepStrictEqual(signedIn?.json, { id: idun.id })
      for (const answer of others) assertProblem(answer, CodeWrong)
    })
  )

  it.effect("is for one address only, and nothing for unknown ones", () =>
    Effect.gen(function* () {
      const [ve, vili] = [yield* codeMember("ve"), yield* codeMember("vili")]
      ok(yield* ve.post("/accounts/self/emails", { email_address: "ve@vanaheim.example" }))
      const code = yield* codeTo(addressOf("ve"))
      assertProblem(yield* verify(addressOf("vili"), code), CodeWrong)
      assertProblem(yield* verify("ve@vanaheim.example", code), CodeWrong)
      assertProblem(yield* verify("nobody@asgard.example", code), CodeWrong)
      assert.strictEqual((yield* accountOf(vili)).verified_status, "none")
      assert.deepStrictEqual(ok(yield* verify(addressOf("ve"), code)), { id: ve.id })
    })
  )

  it.effect("is for one account only, also when the address goes to another", () =>
    Effect.gen(function* () {
      const surt = yield* codeMember("surt")
      const email = addressOf("surt")
      const code = yield* codeTo(email)
      const [{ id }] = (yield* accountOf(surt)).email_addresses
      ok(yield* surt.delete(`/accounts/self/emails/${id}`))
      assertProblem(yield* verify(email, code), CodeWrong)
      const { freya } = yield* Cast
      ok(yield* freya.post("/accounts/self/emails", { email_address: email }))
      assertProblem(yield* verify(email, code), CodeWrong)
      assert.deepStrictEqual(ok(yield* confirm(email)), { id: freya.id })
    })
  )

  it.effect("is possible for an hour", () =>
    Effect.gen(function* () {
      yield* codeMember("mimir")
      const email = addressOf("mimir")
      const code = yield* codeTo(email)
      yield* TestClock.adjust("59 minutes")
      yield* TestClock.adjust("59 seconds")
      ok(yield* verify(email, code))
      ok(yield* askForCode(email))
      const next = yield* codeTo(email)
      yield* TestClock.adjust("1 hour")
      assertProblem(yield* verify(email, next), CodeWrong)
    })
  )

  it.effect("is possible for an hour from when the last code was sent", () =>
    Effect.gen(function* () {
      yield* codeMember("hermod")
      const email = addressOf("hermod")
      yield* TestClock.adjust("59 minutes")
      ok(yield* askForCode(email))
      const next = yield* codeTo(email)
      yield* TestClock.adjust("59 minutes")
      ok(yield* verify(email, next))
    })
  )

  it.effect(
    "is refused to suspended accounts, for which nothing changes; reinstating makes the code good again",
    () =>
      Effect.gen(function* () {
        const gerd = yield* codeMember("gerd")
        const email = addressOf("gerd")
        const code = yield* codeTo(email)
        yield* suspend(gerd)
        assertProblem(yield* verify(email, otherThan(code)), CodeWrong)
        for (let number = 0; number < 6; number++) {
          assertProblem(yield* verify(email, code), SignInSuspended)
        }
        yield* reinstate(gerd)
        assert.strictEqual((yield* accountOf(gerd)).verified_status, "none")
        ok(yield* verify(email, code))
      })
  )

  it.effect("is stored nowhere: it is made of what is", () =>
    Effect.gen(function* () {
      yield* codeMember("frigg")
      const code = yield* codeTo(addressOf("frigg"))
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly t: string }>`select t::text from email_codes t
        union all select t::text from event_log t`
      for (const { t } of rows) assert.notInclude(t, code)
      // Without the key nothing that is stored tells whether a code is right.
      const [own] = yield* sql<{ readonly nonce: string }>`select encode(c.nonce, 'hex') as nonce
        from email_codes c join account_emails e on e.id = c.email_id where e.address = ${addressOf("frigg")}`
      assert.match(own?.nonce ?? "", /^[0-9a-f]{32}$/)
      ok(yield* askForCode(addressOf("frigg")))
      const [next] = yield* sql<{ readonly nonce: string }>`select encode(c.nonce, 'hex') as nonce
        from email_codes c join account_emails e on e.id = c.email_id where e.address = ${addressOf("frigg")}`
      assert.notStrictEqual(next?.nonce, own?.nonce)
    })
  )

  it.effect("is forgotten after its hour", () =>
    Effect.gen(function* () {
      yield* codeMember("nanna")
      const { forgetCodes } = yield* EmailAuth
      const sql = yield* SqlClient.SqlClient
      const mine = sql`select from email_codes c join account_emails e on e.id = c.email_id
        where e.address = ${addressOf("nanna")}`
      yield* TestClock.adjust("59 minutes")
      yield* forgetCodes
      assert.lengthOf(yield* mine, 1)
      yield* TestClock.adjust("1 minute")
      yield* forgetCodes
      assert.lengthOf(yield* mine, 0)
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("guessing a code", (it) => {
  it.effect("ends with the fifth wrong one; another code starts anew", () =>
    Effect.gen(function* () {
      const vali = yield* codeMember("vali")
      const email = addressOf("vali")
      const code = yield* codeTo(email)
      for (let number = 0; number < 5; number++) {
        assertProblem(yield* verify(email, otherThan(code)), CodeWrong)
      }
      assertProblem(yield* verify(email, code), CodeWrong)
      assert.strictEqual((yield* accountOf(vali)).verified_status, "none")
      ok(yield* askForCode(email))
      const next = yield* codeTo(email)
      for (let number = 0; number < 4; number++) {
        assertProblem(yield* verify(email, otherThan(next)), CodeWrong)
      }
      ok(yield* verify(email, next))
    })
  )

  it.effect("ends with the fifth of fifty wrong ones at the same time, on two instances", () =>
    Effect.gen(function* () {
      yield* codeMember("hod")
      const email = addressOf("hod")
      const code = yield* codeTo(email)
      const elsewhere = Effect.provideService(
        call("POST", "/api/auth/email/verify", { body: { email, code: otherThan(code) } }),
        HttpClient.HttpClient,
        yield* TestApp.UncachedClient
      )
      const guess = verify(email, otherThan(code))
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, number) => (number % 2 === 0 ? guess : elsewhere)),
        (one) => one,
        { concurrency: "unbounded" }
      )
      for (const answer of answers) assertProblem(answer, CodeWrong)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly failures: number }>`select p.failures from password_attempts p
        join account_emails e on e.account_id = p.account_id
        where e.address = ${email} and p.source like 'network %'`
      assert.deepStrictEqual(rows, [{ failures: 5 }])
      assertProblem(yield* verify(email, code), CodeWrong)
    })
  )

  it.effect("counts for the account with guesses of its password, over all its codes", () =>
    Effect.gen(function* () {
      yield* emailMember("idun")
      const email = addressOf("idun")
      for (let round = 0; round < 2; round++) {
        const code = yield* codeTo(email)
        for (let number = 0; number < 5; number++) {
          assertProblem(yield* verify(email, otherThan(code)), CodeWrong)
        }
        yield* signUpByCode({ email })
      }
      const code = yield* codeTo(email)
      const refused = yield* verify(email, code)
      assertProblem(refused, TooManyAttempts, { retry_after: 900 })
      assert.strictEqual(refused.headers["retry-after"], "900")
      assertProblem(yield* signIn("idun"), TooManyAttempts)
      yield* TestClock.adjust("15 minutes")
      ok(yield* verify(email, code))
      ok(yield* signIn("idun"))
      yield* forgetMails
    })
  )
})
