import { Effect } from "effect"
import { EmailAddressTaken } from "../../src/domain/account/Email.ts"
import { CodeWrong, EmailAddressUnknown } from "../../src/domain/authentication/EmailSignIn.ts"
import { PasswordWrong } from "../../src/domain/authentication/Password.ts"
import { ResetPageForeign, ResetTokenInvalid } from "../../src/domain/authentication/ResetToken.ts"
import { ok } from "../support/answers.ts"
import {
  addressOf,
  askForCode,
  askForReset,
  codeMember,
  emailMember,
  reset,
  signInByEmail,
  signUpByCode,
  signUpByEmail,
  verify
} from "../support/emails.ts"
import { codeTo, tokenTo } from "../support/mails.ts"
import { Cast, password } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

/** Signing up and in with email addresses, and setting new passwords. */
export const emailScenarios: Scenarios = Effect.gen(function* () {
  const { odin } = yield* Cast
  for (const handle of ["ask", "embla"]) yield* emailMember(handle)
  for (const handle of ["mani", "sol"]) yield* codeMember(handle)
  ok(yield* askForReset(addressOf("embla")))
  const mailed = yield* tokenTo(addressOf("embla"))
  const { token: given } = ok(yield* odin.post(`/accounts/${odin.id}/auth/password/reset-token`))
  const code = yield* codeTo(addressOf("sol"))
  return [
    {
      operation: "AuthEmailPasswordSignup",
      call: signUpByEmail({ email: "new@asgard.example", password, handle: "new-by-email" }),
      expects: 200,
      statements: 16
    },
    {
      operation: "AuthEmailPasswordSignup",
      when: "without a handle",
      call: signUpByEmail({ email: "nameless@asgard.example", password }),
      expects: 200,
      statements: 15
    },
    {
      operation: "AuthEmailPasswordSignup",
      when: "taken",
      call: signUpByEmail({ email: addressOf("ask"), password }),
      expects: EmailAddressTaken,
      statements: 2
    },
    {
      operation: "AuthEmailPasswordSignin",
      call: signInByEmail(addressOf("ask")),
      expects: 200,
      statements: 5
    },
    {
      operation: "AuthEmailPasswordSignin",
      when: "with a wrong password",
      call: signInByEmail(addressOf("embla"), "wrong password"),
      expects: PasswordWrong
    },
    {
      operation: "AuthEmailPasswordSignin",
      when: "unknown",
      call: signInByEmail("nobody@asgard.example"),
      expects: EmailAddressUnknown,
      statements: 2
    },
    {
      operation: "AuthPasswordResetRequestEmail",
      call: askForReset(addressOf("ask")),
      expects: 200,
      statements: 7
    },
    {
      operation: "AuthPasswordResetRequestEmail",
      when: "that leads elsewhere",
      call: askForReset(addressOf("ask"), { url: "https://evil.example", query: "token" }),
      expects: ResetPageForeign,
      statements: 1
    },
    { operation: "AuthPasswordReset", call: reset(mailed, "the next password"), expects: 200, statements: 5 },
    {
      operation: "AuthPasswordReset",
      when: "again",
      call: reset(mailed, "the next password"),
      expects: ResetTokenInvalid,
      statements: 2
    },
    {
      operation: "AuthPasswordReset",
      when: "ending all sessions",
      call: reset(given, password, { revoke_sessions: true }),
      expects: 200,
      statements: 6
    },
    {
      operation: "AuthEmailSignup",
      call: signUpByCode({ email: "newer@asgard.example", handle: "newer" }),
      expects: 200,
      statements: 16
    },
    {
      operation: "AuthEmailSignup",
      when: "known",
      call: signUpByCode({ email: addressOf("ask") }),
      expects: 422,
      statements: 8
    },
    { operation: "AuthEmailSignin", call: askForCode(addressOf("mani")), expects: 200, statements: 8 },
    {
      operation: "AuthEmailSignin",
      when: "unknown",
      call: askForCode("nobody@asgard.example"),
      expects: EmailAddressUnknown,
      statements: 2
    },
    { operation: "AuthEmailVerify", call: verify(addressOf("sol"), code), expects: 200, statements: 13 },
    {
      operation: "AuthEmailVerify",
      when: "with a wrong code",
      call: verify(addressOf("mani"), "x"),
      expects: CodeWrong
    },
    {
      operation: "AuthEmailVerify",
      when: "again",
      call: verify(addressOf("sol"), code),
      expects: CodeWrong,
      statements: 4
    }
  ]
})
