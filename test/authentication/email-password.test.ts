/** Signing up and in with an email address and a password. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { HandleInvalid, HandleTaken } from "../../src/domain/account/Account.ts"
import { EmailAddressTaken } from "../../src/domain/account/Email.ts"
import { EmailAddressUnknown } from "../../src/domain/authentication/EmailSignIn.ts"
import {
  PasswordNotSet,
  PasswordWrong,
  RegistrationClosed,
  SignInSuspended,
  TooManyAttempts
} from "../../src/domain/authentication/Password.ts"
import { MailLimitReached } from "../../src/domain/mail/Outbox.ts"
import * as App from "../../src/layers/wiring/App.ts"
import { ok, sessionOf } from "../support/answers.ts"
import {
  accountOf,
  addressOf,
  codeMember,
  confirm,
  emailMember,
  reset,
  signInByEmail,
  signUpByCode,
  signUpByEmail,
  verify
} from "../support/emails.ts"
import { Mailbox } from "../support/mailbox.ts"
import { forgetMails, lastMailTo, mailsTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, grant, nobody, password, personIn, personWith, signIn, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import { admin, held, member } from "../support/roles.ts"
import * as TestApp from "../support/TestApp.ts"

const counts = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly counts: string }>`select concat_ws(' ', (select count(*) from accounts),
      (select count(*) from account_emails), (select count(*) from passwords), (select count(*) from email_codes),
      (select count(*) from sessions), (select count(*) from email_queue), (select count(*) from event_log)) as counts`,
    ([row]) => row?.counts
  )
)

layer(TestApp.layer)("signing up with an email address and a password", (it) => {
  it.effect("makes the first account administrator, whatever the mode and the invitation", () =>
    Effect.gen(function* () {
      const answer = yield* signUpByEmail(
        { email: "Odin <ODIN@Asgard.example>", password, handle: "Odin" },
        `?invitation_id=${nobody}`
      )
      const odin = personIn(answer)
      assert.deepStrictEqual(ok(answer), { id: odin.id })
      const account = yield* accountOf(odin)
      assert.deepStrictEqual(account.roles, [held(admin), held(member)])
      assert.deepInclude(account, {
        handle: "odin",
        name: "odin",
        admin: true,
        verified_status: "none",
        auth_services: ["password"]
      })
      assert.lengthOf(account.email_addresses, 1)
      const [{ id, ...address }] = account.email_addresses
      assert.match(id, /^[0-9a-v]{19}[0g]$/)
      assert.deepStrictEqual(address, { email_address: "odin@asgard.example", verified: false })
    })
  )

  it.effect("sends a code to the address, in whose name nobody can put a link", () =>
    Effect.gen(function* () {
      yield* emailMember("freya")
      const mail = yield* lastMailTo("freya@asgard.example")
      assert.strictEqual(mail.recipient_name, "freya")
      assert.match(mail.subject, /^Welcome to .+!$/)
      assert.match(mail.text_body, /verify your account: \d{6}\n/)
      assert.lengthOf(yield* mailsTo("freya@asgard.example"), 1)
    })
  )

  it.effect("is recorded, without the address", () =>
    Effect.gen(function* () {
      const njord = yield* emailMember("njord")
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql<{ readonly event: Readonly<Record<string, string>> }>`
        select event from event_log where actor_id = ${njord.id} order by id`
      const [{ id }] = (yield* accountOf(njord)).email_addresses
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        [
          { _tag: "AccountCreated", id: njord.id },
          { _tag: "EmailAddressAdded", account_id: njord.id, email_address_id: id }
        ]
      )
    })
  )

  it.effect("makes a handle of an adjective and an animal if none is given", () =>
    Effect.gen(function* () {
      const answer = yield* signUpByEmail({ email: "somebody@asgard.example", password })
      const { handle, name } = yield* accountOf(personIn(answer))
      assert.match(handle, /^[a-z]+-[a-z]+$/)
      assert.strictEqual(name, handle)
      assert.strictEqual((yield* signIn(handle)).status, 200)
    })
  )

  it.effect("lets the account sign in with the handle as well as with the address, in any case", () =>
    Effect.gen(function* () {
      const sif = yield* emailMember("sif")
      for (const email of ["sif@asgard.example", "SIF@ASGARD.example", " Sif <sif@asgard.example>"]) {
        const answer = yield* signInByEmail(email)
        assert.deepStrictEqual(ok(answer), { id: sif.id })
        assert.notStrictEqual(sessionOf(answer), sif.cookie)
        assert.strictEqual((yield* accountOf(personIn(answer))).handle, "sif")
      }
      assert.deepStrictEqual(ok(yield* signIn("SIF")), { id: sif.id })
    })
  )

  it.effect("refuses what is wrong in the order of the contract, and writes nothing", () =>
    Effect.gen(function* () {
      yield* emailMember("loki")
      const before = yield* counts
      const wrong = { email: "not an address", password: "short", handle: "loki" }
      assertInvalid(yield* signUpByEmail(wrong), "body email", "body password")
      assertInvalid(yield* signUpByEmail({}), "body email", "body password")
      assertInvalid(yield* signUpByEmail({ email: "x@y.example", password: "1234567" }), "body password")
      assertInvalid(
        yield* signUpByEmail({ email: "x@y.example", password }, "?invitation_id=x"),
        "query invitation_id"
      )
      const uninvited = `?invitation_id=${nobody}`
      assertProblem(
        yield* signUpByEmail({ email: "loki@asgard.example", password, handle: "LOKI" }, uninvited),
        HandleTaken,
        { handle: "loki" }
      )
      assertProblem(
        yield* signUpByEmail({ email: "LOKI@asgard.example", password, handle: "-x" }, uninvited),
        EmailAddressTaken,
        { email_address: "loki@asgard.example" }
      )
      assertProblem(
        yield* signUpByEmail({ email: "new@asgard.example", password, handle: "-x" }, uninvited),
        RegistrationClosed
      )
      for (const handle of ["-x", "has space", "", "me"]) {
        assertProblem(yield* signUpByEmail({ email: "new@asgard.example", password, handle }), HandleInvalid)
      }
      assert.strictEqual(yield* counts, before)
    })
  )

  it.effect("makes nothing when the address may be sent no more mails", () =>
    Effect.gen(function* () {
      const email = "full@asgard.example"
      for (let number = 0; number < 5; number++) {
        const person = personIn(yield* signUpByEmail({ email, password }))
        const [{ id }] = (yield* accountOf(person)).email_addresses
        ok(yield* person.delete(`/accounts/self/emails/${id}`))
      }
      const before = yield* counts
      assertProblem(yield* signUpByEmail({ email, password }), MailLimitReached)
      assert.strictEqual(yield* counts, before)
    })
  )

  it.effect("takes an address that was removed from another account", () =>
    Effect.gen(function* () {
      const hel = yield* emailMember("hel")
      const [{ id }] = (yield* accountOf(hel)).email_addresses
      ok(yield* hel.delete(`/accounts/self/emails/${id}`))
      assertProblem(yield* signInByEmail("hel@asgard.example"), EmailAddressUnknown)
      const garm = yield* signUpByEmail({ email: "hel@asgard.example", password, handle: "garm" })
      assert.notStrictEqual(ok(garm).id, hel.id)
      assert.deepStrictEqual(ok(yield* signInByEmail("hel@asgard.example")), ok(garm))
    })
  )

  it.effect("takes an address once of fifty who sign up with it at the same time", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        Array(50).keys(),
        (number) => signUpByEmail({ email: "many@asgard.example", password, handle: `many${number}` }),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refused, 49)
      for (const answer of refused) assertProblem(answer, EmailAddressTaken)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from accounts where handle like 'many%'`, 1)
      assert.lengthOf(yield* mailsTo("many@asgard.example"), 1)
    })
  )

  it.effect("gives fifty who sign up at the same time without a handle one each", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(
        Array(50).keys(),
        (number) => signUpByEmail({ email: `nameless${number}@asgard.example`, password }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map((answer) => ok(answer).id)).size, 50)
    })
  )
})

layer(People.layer)("who may sign up with an email address", (it) => {
  it.effect("is decided by the registration mode and the invitation, which is shown", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      yield* grant(freya, "CREATE_INVITATION")
      const { id } = ok(yield* freya.post("/invitations"))
      const invited = `?invitation_id=${id}`
      const body = (handle: string) => ({ email: addressOf(handle), password, handle })

      ok(yield* odin.patch("/admin", { registration_mode: "invitation" }))
      assertProblem(yield* signUpByEmail(body("ask")), RegistrationClosed)
      assertProblem(yield* signUpByEmail(body("ask"), `?invitation_id=${nobody}`), RegistrationClosed)
      const ask = personIn(yield* signUpByEmail(body("ask"), invited))
      assert.strictEqual((yield* accountOf(ask)).invited_by.id, freya.id)
      assert.strictEqual(ok(yield* ask.get("/profiles/ask")).invited_by.id, freya.id)

      ok(yield* odin.patch("/admin", { registration_mode: "disabled" }))
      assertProblem(yield* signUpByEmail(body("embla"), invited), RegistrationClosed)
      assertProblem(yield* signUpByCode({ email: addressOf("embla") }, invited), RegistrationClosed)
      assert.strictEqual((yield* signUpByCode({ email: addressOf("ask") })).status, 422)
      ok(yield* odin.patch("/admin", { registration_mode: "public" }))
      ok(yield* signUpByEmail(body("embla")))
    })
  )
})

let hashes = 0

const counting = TestApp.layerWhere(
  {},
  App.stores,
  TestApp.hashesAfter(() => Effect.sync(() => void hashes++))
)

layer(People.withCast(counting))("a request that is refused", (it) => {
  it.effect("hashes no password", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const hel = yield* emailMember("hel")
      yield* codeMember("bragi")
      const { token } = ok(yield* odin.post(`/accounts/${hel.id}/auth/password/reset-token`))
      yield* suspend(hel)
      ok(yield* odin.patch("/admin", { registration_mode: "disabled" }))
      hashes = 0
      const email = "new@asgard.example"
      for (const { status } of [
        yield* signUpByEmail({ email, password, handle: "hel" }),
        yield* signUpByEmail({ email: addressOf("hel"), password }),
        yield* signUpByEmail({ email, password }),
        yield* signInByEmail(email),
        yield* signInByEmail(addressOf("hel")),
        yield* signInByEmail(addressOf("bragi")),
        yield* reset("x", password),
        yield* reset(token, password)
      ]) {
        assert.isAtLeast(status, 400)
      }
      ok(yield* odin.patch("/admin", { registration_mode: "public" }))
      assertProblem(yield* signUpByEmail({ email, password, handle: "-x" }), HandleInvalid)
      assert.strictEqual(hashes, 0)
      ok(yield* signUpByEmail({ email, password }))
      assert.strictEqual(hashes, 1)
    })
  )
})

layer(TestApp.layer)("a mail with a code", (it) => {
  it.effect("arrives, and the code in it verifies the address", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const odin = yield* emailMember("odin")
      const mail = yield* mailbox.mailTo(addressOf("odin"))
      assert.match(mail.subject, /^Welcome to .+!$/)
      const [, code] = /verify your account: (\d{6})/.exec(mail.text) ?? []
      assert.include(mail.html, `<strong>${code}</strong>`)
      assert.deepStrictEqual(ok(yield* verify(addressOf("odin"), code)), { id: odin.id })
      assert.strictEqual((yield* accountOf(odin)).verified_status, "verified_email")
    })
  )
})

layer(People.layer)("signing in with an email address and a password", (it) => {
  it.effect("checks the request, the address, suspension, the existence of a password and the password", () =>
    Effect.gen(function* () {
      const vali = yield* emailMember("vali")
      const bragi = yield* codeMember("bragi")
      assertInvalid(yield* signInByEmail("nobody", "short"), "body email", "body password")
      assertInvalid(yield* signInByEmail("vali@asgard.example", "1234567"), "body password")
      assertProblem(yield* signInByEmail("nobody@asgard.example"), EmailAddressUnknown)
      assertProblem(yield* signInByEmail("vali@asgard.example", "not the password"), PasswordWrong)
      assertProblem(yield* signInByEmail("bragi@asgard.example"), PasswordNotSet)
      for (const person of [vali, bragi]) yield* suspend(person)
      assertProblem(yield* signInByEmail("vali@asgard.example"), SignInSuspended)
      assertProblem(yield* signInByEmail("vali@asgard.example", "not the password"), SignInSuspended)
      assertProblem(yield* signInByEmail("bragi@asgard.example"), SignInSuspended)
    })
  )

  it.effect("ignores a handle", () =>
    Effect.gen(function* () {
      const ve = yield* emailMember("ve")
      const body = { email: "ve@asgard.example", password, handle: "freya" }
      assert.deepStrictEqual(ok(yield* People.guest.post("/auth/email-password/signin", body)), { id: ve.id })
    })
  )

  it.effect(
    "works with each address of the account, verified or not, also of one without an address before",
    () =>
      Effect.gen(function* () {
        const { freya } = yield* Cast
        ok(yield* freya.post("/accounts/self/emails", { email_address: "freya@asgard.example" }))
        ok(yield* freya.post("/accounts/self/emails", { email_address: "Freya@vanaheim.example" }))
        ok(yield* confirm("freya@asgard.example"))
        for (const email of ["freya@asgard.example", "freya@vanaheim.example"]) {
          assert.deepStrictEqual(ok(yield* signInByEmail(email)), { id: freya.id })
        }
      })
  )

  it.effect("shares its password with signing in by handle", () =>
    Effect.gen(function* () {
      const hod = yield* emailMember("hod")
      ok(yield* hod.patch("/auth/password", { old: password, new: "another password" }))
      assertProblem(yield* signInByEmail("hod@asgard.example"), PasswordWrong)
      ok(yield* signInByEmail("hod@asgard.example", "another password"))
      ok(yield* signIn("hod", "another password"))
    })
  )

  it.effect("shares its limit with signing in by handle", () =>
    Effect.gen(function* () {
      const idun = yield* emailMember("idun")
      ok(yield* idun.post("/accounts/self/emails", { email_address: "idun@vanaheim.example" }))
      for (let number = 0; number < 5; number++) {
        assertProblem(yield* signIn("idun", "not the password"), PasswordWrong)
        assertProblem(
          yield* signInByEmail(`idun@${number % 2 ? "asgard" : "vanaheim"}.example`, "not the password"),
          PasswordWrong
        )
      }
      const refused = yield* signInByEmail("idun@asgard.example")
      assertProblem(refused, TooManyAttempts, { retry_after: 900 })
      assert.strictEqual(refused.headers["retry-after"], "900")
      assertProblem(yield* signInByEmail("idun@vanaheim.example"), TooManyAttempts)
      assertProblem(yield* signIn("idun"), TooManyAttempts)
    })
  )

  it.effect("starts a session beside those there are", () =>
    Effect.gen(function* () {
      const ran = yield* emailMember("ran")
      yield* forgetMails
      const other = personIn(yield* signInByEmail("ran@asgard.example"))
      for (const person of [ran, other, personWith(other.cookie, other.id)]) {
        assert.strictEqual((yield* accountOf(person)).handle, "ran")
      }
    })
  )
})
