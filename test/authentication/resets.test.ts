/** Setting a new password with a token from a mail or from staff. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound, AccountStronger } from "../../src/domain/account/Account.ts"
import { EmailAddressNotFound } from "../../src/domain/account/Email.ts"
import { CodeWrong, EmailAddressUnknown } from "../../src/domain/authentication/EmailSignIn.ts"
import {
  PasswordNotSet,
  PasswordWrong,
  SignInSuspended,
  TooManyAttempts
} from "../../src/domain/authentication/Password.ts"
import { Resets } from "../../src/domain/authentication/Resets.ts"
import { ResetPageForeign, ResetTokenInvalid } from "../../src/domain/authentication/ResetToken.ts"
import { MailLimitReached } from "../../src/domain/mail/Outbox.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { type Answer, ok } from "../support/answers.ts"
import {
  accountOf,
  addressOf,
  askForReset,
  codeMember,
  emailMember,
  reset,
  signInByEmail,
  signUpByCode,
  verify
} from "../support/emails.ts"
import { codeTo, lastMailTo, linkTo, mailsTo, resetPage, tokenTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import {
  Cast,
  call,
  drainEvents,
  grant,
  guest,
  nobody,
  type Person,
  password,
  personIn,
  reinstate,
  signIn,
  signUp,
  suspend
} from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const next = "the next password"

const staffToken = (staff: Person, id: string) => staff.post(`/accounts/${id}/auth/password/reset-token`)

const staffMail = (staff: Person, id: string, address: unknown, page: object = resetPage) =>
  staff.post(`/accounts/${id}/auth/email-password/reset`, { email_address_id: address, token_url: page })

const addressIdOf = (person: Person) =>
  Effect.map(accountOf(person), ({ email_addresses: [{ id }] }): string => id)

const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.forEach(effects, (one) => one, { concurrency: "unbounded" })

/** Exactly one of these answers signs in; the others say that the token is none. */
const assertOnce = (answers: ReadonlyArray<Answer>) => {
  const refused = answers.filter(({ status }) => status !== 200)
  assert.lengthOf(refused, answers.length - 1)
  for (const answer of refused) assertProblem(answer, ResetTokenInvalid)
}

layer(People.layer)("a mail to set a new password by", (it) => {
  it.effect("goes to the address that asked, with a link to the page and a token that works", () =>
    Effect.gen(function* () {
      const freya = yield* emailMember("freyja")
      ok(yield* freya.patch("/accounts", { name: "Freyja" }))
      ok(yield* freya.post("/accounts/self/emails", { email_address: "other@vanaheim.example" }))
      const page = { url: "http://www.forum.test:3000/reset?lang=is", query: "secret" }
      const asked = yield* askForReset("FREYJA@asgard.example", page)
      assert.strictEqual(asked.status, 200, asked.text)
      assert.strictEqual(asked.text, "")
      const mail = yield* lastMailTo("freyja@asgard.example")
      assert.match(mail.subject, /^Reset your password on .+!$/)
      assert.strictEqual(mail.recipient_name, "Freyja")
      assert.lengthOf(yield* mailsTo("other@vanaheim.example"), 1)
      const link = yield* linkTo("freyja@asgard.example")
      const token = link.searchParams.get("secret") ?? ""
      assert.strictEqual(link.href, `${page.url}&secret=${token}`)
      assert.match(token, /^[\w-]{43}$/)

      const answer = yield* reset(token, next)
      assert.deepStrictEqual(ok(answer), { id: freya.id })
      assert.strictEqual((yield* accountOf(personIn(answer))).handle, "freyja")
      assert.strictEqual((yield* accountOf(freya)).handle, "freyja")
      assertProblem(yield* signInByEmail("freyja@asgard.example"), PasswordWrong)
      ok(yield* signInByEmail("freyja@asgard.example", next))
      ok(yield* signIn("freyja", next))
    })
  )

  it.effect("leads to pages of the forum only", () =>
    Effect.gen(function* () {
      yield* emailMember("vali")
      const email = addressOf("vali")
      const at = (url: string) => askForReset(email, { url, query: "token" })
      for (const url of [
        "https://evil.example/",
        "http://forum.test/",
        "http://www.forum.test.evil.example/"
      ]) {
        assertProblem(yield* at(url), ResetPageForeign, {
          host: new URL(url).hostname,
          expected: "www.forum.test"
        })
      }
      assertProblem(yield* at("http://x@www.forum.test/"), ResetPageForeign)
      assertProblem(
        yield* askForReset("nobody@asgard.example", { url: "http://evil.example", query: "t" }),
        ResetPageForeign
      )
      assertInvalid(yield* at("javascript:alert(1)"), "body token_url.url")
      assertInvalid(yield* at("/reset"), "body token_url.url")
      assertInvalid(yield* askForReset(email, { url: resetPage.url, query: " " }), "body token_url.query")
      assertInvalid(
        yield* askForReset(email, { url: resetPage.url, query: "x".repeat(101) }),
        "body token_url.query"
      )
      assertInvalid(yield* askForReset("x", {}), "body email", "body token_url.query", "body token_url.url")
      assert.lengthOf(yield* mailsTo(email), 1)
    })
  )

  it.effect("is for addresses that an account has, five in an hour", () =>
    Effect.gen(function* () {
      yield* emailMember("hod")
      const email = addressOf("hod")
      assertProblem(yield* askForReset("nobody@asgard.example"), EmailAddressUnknown)
      for (let number = 1; number < 5; number++) ok(yield* askForReset(email))
      const token = yield* tokenTo(email)
      assertProblem(yield* askForReset(email), MailLimitReached)
      assert.lengthOf(yield* mailsTo(email), 5)
      // What is refused changes nothing.
      ok(yield* reset(token, next))
    })
  )
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("a token that sets a password", (it) => {
  const tokenOf = Effect.fnUntraced(function* (handle: string) {
    const person = yield* emailMember(handle)
    ok(yield* askForReset(addressOf(handle)))
    return { person, token: yield* tokenTo(addressOf(handle)) }
  })

  it.effect("works once, also of twenty requests at the same time, on two instances", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf("idun")
      const other = yield* TestApp.UncachedClient
      const elsewhere = (to: string) =>
        Effect.provideService(
          call("POST", "/api/auth/password/reset", { body: { token, new: to } }),
          HttpClient.HttpClient,
          other
        )
      assertOnce(
        yield* together(
          Array.from({ length: 20 }, (_, number) =>
            number % 2 === 0 ? reset(token, `${next} ${number}`) : elsewhere(`${next} ${number}`)
          )
        )
      )
      assertProblem(yield* reset(token, next), ResetTokenInvalid)
    })
  )

  it.effect("is checked after the new password, which has eight bytes at least", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf("ran")
      assertInvalid(yield* reset("x", "1234567"), "body new")
      assertInvalid(yield* reset(token, "1234567"), "body new")
      assertInvalid(yield* guest.post("/auth/password/reset", {}), "body new", "body token")
      for (const other of ["", "x", `${token}x`, token.slice(1), token.toUpperCase()]) {
        assertProblem(yield* reset(other, next), ResetTokenInvalid)
      }
      ok(yield* reset(token, "12345678"))
    })
  )

  it.effect("is no code, no session and no key, and none of them is such a token", () =>
    Effect.gen(function* () {
      const { person, token } = yield* tokenOf("sif")
      ok(yield* person.post("/accounts/self/emails", { email_address: "sif@vanaheim.example" }))
      for (const other of [person.cookie, yield* codeTo("sif@vanaheim.example")]) {
        assertProblem(yield* reset(other, next), ResetTokenInvalid)
      }
      assertProblem(yield* verify(addressOf("sif"), token), CodeWrong)
      assertProblem(yield* People.personWith(token, person.id).get("/accounts"), Unauthenticated)
      assertProblem(yield* People.personByKey(token, person.id).get("/accounts"), Unauthenticated)
    })
  )

  it.effect("is valid for an hour", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf("mimir")
      yield* TestClock.adjust("59 minutes")
      yield* TestClock.adjust("59 seconds")
      ok(yield* reset(token, next))
      ok(yield* askForReset(addressOf("mimir")))
      const late = yield* tokenTo(addressOf("mimir"))
      yield* TestClock.adjust("1 hour")
      assertProblem(yield* reset(late, next), ResetTokenInvalid)
    })
  )

  it.effect("is valid for an hour of its own if it replaces another one", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { person } = yield* tokenOf("hermod")
      ok(yield* staffToken(odin, person.id))
      yield* TestClock.adjust("59 minutes")
      ok(yield* askForReset(addressOf("hermod")))
      const mailed = yield* tokenTo(addressOf("hermod"))
      yield* TestClock.adjust("59 minutes")
      ok(yield* reset(mailed, next))
      ok(yield* staffToken(odin, person.id))
      yield* TestClock.adjust("59 minutes")
      const { token } = ok(yield* staffToken(odin, person.id))
      yield* TestClock.adjust("59 minutes")
      ok(yield* reset(token, password))
    })
  )

  it.effect(
    "ends with a newer one to the same address, and not with one to another address or to staff",
    () =>
      Effect.gen(function* () {
        const { odin } = yield* Cast
        const { person, token } = yield* tokenOf("ve")
        ok(yield* person.post("/accounts/self/emails", { email_address: "ve@vanaheim.example" }))
        ok(yield* askForReset("ve@vanaheim.example"))
        ok(yield* staffToken(odin, person.id))
        ok(yield* askForReset(addressOf("ve")))
        assertProblem(yield* reset(token, next), ResetTokenInvalid)
        ok(yield* reset(yield* tokenTo("ve@vanaheim.example"), next))
      })
  )

  it.effect("ends with every change of the password, whichever way", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const { person, token } = yield* tokenOf("vili")
      const { token: other } = ok(yield* staffToken(odin, person.id))
      ok(yield* reset(token, next))
      assertProblem(yield* reset(other, next), ResetTokenInvalid)
      ok(yield* askForReset(addressOf("vili")))
      ok(yield* person.patch("/auth/password", { old: next, new: password }))
      assertProblem(yield* reset(yield* tokenTo(addressOf("vili")), next), ResetTokenInvalid)
    })
  )

  it.effect("ends with the address that it was mailed to", () =>
    Effect.gen(function* () {
      const { person, token } = yield* tokenOf("surt")
      ok(yield* person.delete(`/accounts/self/emails/${yield* addressIdOf(person)}`))
      assertProblem(yield* reset(token, next), ResetTokenInvalid)
    })
  )

  it.effect("is refused for suspended accounts, which keep their password; reinstated, they can use it", () =>
    Effect.gen(function* () {
      const { person, token } = yield* tokenOf("gerd")
      yield* suspend(person)
      assertProblem(yield* reset(token, next), SignInSuspended)
      yield* reinstate(person)
      ok(yield* signIn("gerd"))
      ok(yield* reset(token, next))
    })
  )

  it.effect("sets no first password", () =>
    Effect.gen(function* () {
      yield* codeMember("bragi")
      ok(yield* askForReset(addressOf("bragi")))
      assertProblem(yield* reset(yield* tokenTo(addressOf("bragi")), next), PasswordNotSet)
    })
  )

  it.effect("keeps other sessions, unless they are to be ended", () =>
    Effect.gen(function* () {
      const { person, token } = yield* tokenOf("njord")
      const kept = personIn(yield* reset(token, next))
      for (const one of [person, kept]) assert.strictEqual((yield* accountOf(one)).handle, "njord")
      ok(yield* askForReset(addressOf("njord")))
      const again = yield* tokenTo(addressOf("njord"))
      const alone = personIn(yield* reset(again, password, { revoke_sessions: true }))
      for (const one of [person, kept]) assertProblem(yield* one.get("/accounts"), Unauthenticated)
      assert.strictEqual((yield* accountOf(alone)).handle, "njord")
    })
  )

  it.effect("opens an account again whose password was guessed at too often", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf("nanna")
      for (let number = 0; number < 10; number++) yield* signIn("nanna", "not the password")
      assertProblem(yield* signIn("nanna"), TooManyAttempts)
      ok(yield* reset(token, next))
      ok(yield* signIn("nanna", next))
    })
  )

  it.effect("is stored as its hash alone, and forgotten after its hour", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf("frigg")
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly t: string }>`select t::text from password_resets t
        union all select t::text from event_log t`
      for (const { t } of rows) assert.notInclude(t, token)
      const { forgetExpired } = yield* Resets
      const mine = sql`select from password_resets r join accounts a on a.id = r.account_id where a.handle = 'frigg'`
      yield* TestClock.adjust("59 minutes")
      yield* forgetExpired
      assert.lengthOf(yield* mine, 1)
      yield* TestClock.adjust("1 minute")
      yield* forgetExpired
      assert.lengthOf(yield* mine, 0)
    })
  )
})

layer(People.layer)("what staff do for accounts that have forgotten their password", (it) => {
  const audited = (type: string) =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      yield* drainEvents
      return ok(yield* odin.get(`/admin/audit-events?types=${type}`)).events
    })

  it.effect("gets them a token, which is in the audit log", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* grant(freya, "MANAGE_ACCOUNTS")
      const { token, ...rest } = ok(yield* staffToken(freya, loki.id))
      assert.deepStrictEqual(rest, {})
      assert.match(token, /^[\w-]{43}$/)
      const [entry] = yield* audited("account_password_reset_token_issued")
      assert.strictEqual(entry.account_id, loki.id)
      assert.strictEqual(entry.enacted_by.id, freya.id)
      assert.notInclude(JSON.stringify(entry), token)
      const { token: newer } = ok(yield* staffToken(freya, loki.id))
      assertProblem(yield* reset(token, next), ResetTokenInvalid)
      assert.deepStrictEqual(ok(yield* reset(newer, next)), { id: loki.id })
      ok(yield* signIn("loki", next))
    })
  )

  it.effect("mails one of their addresses a link, which is in the audit log", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sif = yield* emailMember("sif")
      const added = ok(yield* sif.post("/accounts/self/emails", { email_address: "sif@vanaheim.example" }))
      const answer = yield* staffMail(odin, sif.id, added.id)
      assert.strictEqual(answer.status, 204, answer.text)
      assert.lengthOf(yield* mailsTo(addressOf("sif")), 1)
      const [entry] = yield* audited("account_password_reset_email_sent")
      assert.strictEqual(entry.account_id, sif.id)
      assert.strictEqual(entry.email_address_id, added.id)
      assert.strictEqual(entry.enacted_by.id, odin.id)
      assert.notInclude(JSON.stringify(entry), "vanaheim")
      assert.deepStrictEqual(ok(yield* reset(yield* tokenTo("sif@vanaheim.example"), next)), { id: sif.id })
    })
  )

  it.effect("needs MANAGE_ACCOUNTS, and ADMINISTRATOR for administrators", () =>
    Effect.gen(function* () {
      const { loki, odin, tyr } = yield* Cast
      const hel = yield* emailMember("hel")
      const address = yield* addressIdOf(hel)
      for (const staff of [guest, hel, tyr]) {
        const refusal = staff === guest ? Unauthenticated : Forbidden
        assertProblem(yield* staffToken(staff, hel.id), refusal)
        assertProblem(yield* staffMail(staff, hel.id, address), refusal)
      }
      yield* grant(tyr, "MANAGE_ACCOUNTS")
      yield* grant(loki, "ADMINISTRATOR")
      ok(yield* odin.post("/accounts/self/emails", { email_address: "odin@asgard.example" }))
      for (const administrator of [odin, loki]) {
        assertProblem(yield* staffToken(tyr, administrator.id), AccountStronger)
        assertProblem(yield* staffMail(tyr, administrator.id, nobody), AccountStronger)
        ok(yield* staffToken(loki, administrator.id))
      }
      assertProblem(yield* staffMail(tyr, odin.id, yield* addressIdOf(odin)), AccountStronger)
      assert.strictEqual((yield* staffMail(loki, odin.id, yield* addressIdOf(odin))).status, 204)
    })
  )

  it.effect("is refused for accounts and addresses that there are not, and for addresses of others", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [ask, embla] = [yield* emailMember("ask"), yield* emailMember("embla")]
      const address = yield* addressIdOf(embla)
      assertProblem(yield* staffToken(odin, nobody), AccountNotFound, { account: nobody })
      assertProblem(yield* staffMail(odin, nobody, address), AccountNotFound, { account: nobody })
      for (const other of [address, nobody]) {
        assertProblem(yield* staffMail(odin, ask.id, other), EmailAddressNotFound, { email_address: other })
      }
      assertInvalid(yield* staffToken(odin, "nope"), "path account_id")
      assertInvalid(yield* staffMail(odin, ask.id, "nope"), "body email_address_id")
      assertProblem(
        yield* staffMail(odin, ask.id, nobody, { url: "https://evil.example", query: "token" }),
        ResetPageForeign
      )
      for (const handle of ["ask", "embla"]) assert.lengthOf(yield* mailsTo(addressOf(handle)), 1)
      assert.lengthOf(
        (yield* audited("account_password_reset_email_sent")).filter(
          (entry: { readonly account_id: string }) => entry.account_id === ask.id
        ),
        0
      )
    })
  )

  it.effect("leaves no entry when the address may be sent no more mails", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const garm = yield* emailMember("garm")
      for (let number = 1; number < 5; number++) yield* signUpByCode({ email: addressOf("garm") })
      assertProblem(yield* staffMail(odin, garm.id, yield* addressIdOf(garm)), MailLimitReached)
      const entries: ReadonlyArray<{ readonly account_id: string }> = yield* audited(
        "account_password_reset_email_sent"
      )
      assert.notInclude(
        entries.map(({ account_id }) => account_id),
        garm.id
      )
    })
  )

  it.effect("ends with the permission", () =>
    Effect.gen(function* () {
      const fulla = yield* signUp("fulla")
      const { loki } = yield* Cast
      yield* grant(fulla, "MANAGE_ACCOUNTS")
      yield* suspend(fulla)
      assert.strictEqual((yield* staffToken(fulla, loki.id)).status, 403)
    })
  )
})
