/** What needs mail, where the operator has set no mail server. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CodeWrong } from "../../src/domain/authentication/EmailSignIn.ts"
import { MailDisabled } from "../../src/domain/mail/Outbox.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import {
  accountOf,
  askForCode,
  askForReset,
  reset,
  signInByEmail,
  signUpByCode,
  signUpByEmail,
  verify
} from "../support/emails.ts"
import { resetPage } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, guest, nobody, password } from "../support/people.ts"
import { assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

layer(People.withCast(TestApp.withoutMail))("without mail", (it) => {
  it.effect("nobody signs up or in by email, whatever they send, and nothing is stored", () =>
    Effect.gen(function* () {
      const email = "new@asgard.example"
      for (const answer of [
        yield* signUpByEmail({ email, password }),
        yield* signUpByEmail({ email: "not an address", password: "short" }),
        yield* signInByEmail(email),
        yield* signInByEmail("not an address", "short"),
        yield* askForReset(email),
        yield* askForReset("not an address", {}),
        yield* signUpByCode({ email }),
        yield* signUpByCode({}),
        yield* askForCode(email)
      ]) {
        assertProblem(answer, MailDisabled)
      }
      const { odin } = yield* Cast
      const { profiles } = ok(yield* odin.get("/profiles"))
      assert.lengthOf(profiles, 4)
    })
  )

  it.effect("addresses are neither added nor mailed to, after it is checked who asks", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const add = (person: People.Person) =>
        person.post("/accounts/self/emails", { email_address: "freya@asgard.example" })
      assertProblem(yield* add(guest), Unauthenticated)
      assertProblem(yield* add(freya), MailDisabled)
      assert.deepStrictEqual((yield* accountOf(freya)).email_addresses, [])
      const mail = (person: People.Person) =>
        person.post(`/accounts/${loki.id}/auth/email-password/reset`, {
          email_address_id: nobody,
          token_url: resetPage
        })
      assertProblem(yield* mail(freya), Forbidden)
      assertProblem(yield* mail(odin), MailDisabled)
    })
  )

  it.effect("addresses that staff give to accounts are stored and shown, and count if staff say so", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const body = { handle: "mimir", email_address: "mimir@asgard.example" }
      const made = ok(yield* odin.post("/accounts", body))
      const [address] = made.email_addresses
      assert.deepStrictEqual(made.email_addresses, [
        { id: address.id, email_address: "mimir@asgard.example", verified: false }
      ])
      ok(yield* odin.patch(`/accounts/${made.id}/emails/${address.id}/verified`, { verified: true }))
      assert.strictEqual(ok(yield* odin.get(`/accounts/${made.id}`)).verified_status, "verified_email")
      assertProblem(yield* signInByEmail("mimir@asgard.example"), MailDisabled)
    })
  )

  it.effect("codes are refused as wrong, and tokens of staff set passwords", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      assertProblem(yield* verify("new@asgard.example", "123456"), CodeWrong)
      const { token } = ok(yield* odin.post(`/accounts/${loki.id}/auth/password/reset-token`))
      assert.deepStrictEqual(ok(yield* reset(token, "the next password")), { id: loki.id })
    })
  )
})
