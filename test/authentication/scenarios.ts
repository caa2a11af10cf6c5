import { Effect } from "effect"
import { HandleTaken } from "../../src/domain/account/Account.ts"
import { PasswordAlreadySet, PasswordWrong } from "../../src/domain/authentication/Password.ts"
import { Cast, guest, password, removePassword, signIn } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { emailScenarios } from "./email-scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  const byEmail = yield* emailScenarios
  yield* removePassword(loki)
  const signUp = (identifier: string) => guest.post("/auth/password/signup", { identifier, token: password })
  const change = (old: string, more: object = {}) =>
    freya.patch("/auth/password", { old, new: `${password}!`, ...more })
  return [
    { operation: "AuthProviderList", call: guest.get("/auth"), expects: 200, statements: 0 },
    { operation: "AuthPasswordSignup", call: signUp("new"), expects: 200, statements: 10 },
    { operation: "AuthPasswordSignup", when: "taken", call: signUp("freya"), expects: HandleTaken },
    { operation: "AuthPasswordSignin", call: signIn("freya"), expects: 200, statements: 5 },
    {
      operation: "AuthPasswordSignin",
      when: "with a wrong password",
      call: signIn("odin", "wrong password"),
      expects: PasswordWrong
    },
    {
      operation: "AuthPasswordCreate",
      call: loki.post("/auth/password", { password }),
      expects: 200,
      statements: 3
    },
    {
      operation: "AuthPasswordCreate",
      when: "beside another",
      call: odin.post("/auth/password", { password }),
      expects: PasswordAlreadySet,
      statements: 2
    },
    { operation: "AuthPasswordUpdate", call: change(password), expects: 200, statements: 6 },
    {
      operation: "AuthPasswordUpdate",
      when: "with a wrong password",
      call: change(password),
      expects: PasswordWrong
    },
    {
      operation: "AuthPasswordUpdate",
      when: "ending all sessions",
      call: change(`${password}!`, { revoke_sessions: true }),
      expects: 200,
      statements: 7
    },
    { operation: "AuthProviderLogout", call: odin.post("/auth/logout"), expects: 302, statements: 2 },
    ...byEmail
  ]
})
