import { Effect } from "effect"
import { AccountNotFound, AccountStronger } from "../../src/domain/account/Account.ts"
import { EmailAddressNotFound, EmailAddressTaken } from "../../src/domain/account/Email.ts"
import { ResetPageForeign } from "../../src/domain/authentication/ResetToken.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { resetPage } from "../support/mails.ts"
import { Cast, grant, guest, nobody, type Person } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

/** The email addresses of accounts, and what staff do by them. */
export const emailScenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  yield* grant(tyr, "MANAGE_ACCOUNTS")
  const add = (person: Person, email_address: string) =>
    person.post("/accounts/self/emails", { email_address })
  const { id } = ok(yield* add(freya, "freya@asgard.example"))
  const { id: other } = ok(yield* add(loki, "loki@asgard.example"))
  const verified = (account: string, address: string) =>
    tyr.patch(`/accounts/${account}/emails/${address}/verified`, { verified: true })
  const token = (account: string) => tyr.post(`/accounts/${account}/auth/password/reset-token`)
  const mail = (account: string, address: string, page = resetPage) =>
    tyr.post(`/accounts/${account}/auth/email-password/reset`, {
      email_address_id: address,
      token_url: page
    })
  return [
    { operation: "AccountEmailAdd", call: add(freya, "new@asgard.example"), expects: 200, statements: 9 },
    {
      operation: "AccountEmailAdd",
      when: "again",
      call: add(freya, "freya@asgard.example"),
      expects: 200,
      statements: 6
    },
    {
      operation: "AccountEmailAdd",
      when: "of another account",
      call: add(freya, "loki@asgard.example"),
      expects: EmailAddressTaken,
      statements: 3
    },
    {
      operation: "AccountEmailAdd",
      when: "by a guest",
      call: add(guest, "x"),
      expects: Unauthenticated
    },
    {
      operation: "AccountManageUpdateEmailVerifiedStatus",
      call: verified(freya.id, id),
      expects: 200,
      statements: 12
    },
    {
      operation: "AccountManageUpdateEmailVerifiedStatus",
      when: "of another account",
      call: verified(freya.id, other),
      expects: EmailAddressNotFound
    },
    {
      operation: "AccountPasswordResetTokenGet",
      call: token(freya.id),
      expects: 200,
      statements: 10
    },
    {
      operation: "AccountPasswordResetTokenGet",
      when: "of an administrator",
      call: token(odin.id),
      expects: AccountStronger
    },
    {
      operation: "AccountPasswordResetTokenGet",
      when: "unknown",
      call: token(nobody),
      expects: AccountNotFound
    },
    { operation: "AccountEmailPasswordReset", call: mail(freya.id, id), expects: 204, statements: 12 },
    {
      operation: "AccountEmailPasswordReset",
      when: "that leads elsewhere",
      call: mail(freya.id, id, { url: "https://evil.example", query: "token" }),
      expects: ResetPageForeign
    },
    {
      operation: "AccountEmailPasswordReset",
      when: "to another account",
      call: mail(freya.id, other),
      expects: EmailAddressNotFound
    },
    {
      operation: "AccountEmailRemove",
      call: freya.delete(`/accounts/self/emails/${id}`),
      expects: 200,
      statements: 5
    },
    {
      operation: "AccountEmailRemove",
      when: "that is gone",
      call: freya.delete(`/accounts/self/emails/${id}`),
      expects: 200,
      statements: 3
    }
  ]
})
