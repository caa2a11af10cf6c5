import { Effect } from "effect"
import { HandleTaken } from "../../src/domain/account/Account.ts"
import { PhoneCodeWrong } from "../../src/domain/authentication/PhoneSignIn.ts"
import { ok } from "../support/answers.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { askForCode, codeTo, phoneMember, sendBack } from "./support.ts"

const [bragi, sol, mani] = ["+491512000001", "+491512000002", "+491512000003"]

export const scenarios: Scenarios = Effect.gen(function* () {
  yield* phoneMember("bragi", bragi)
  yield* phoneMember("sol", sol)
  ok(yield* askForCode("sol", sol))
  ok(yield* askForCode("mani", mani))
  const [known, unknown] = [yield* codeTo(sol), yield* codeTo(mani)]
  return [
    {
      operation: "PhoneRequestCode",
      call: askForCode("bragi", bragi),
      expects: 200,
      statements: 11
    },
    {
      operation: "PhoneRequestCode",
      when: "to sign up",
      call: askForCode("newcomer", "+491512000004"),
      expects: 200,
      statements: 11
    },
    {
      operation: "PhoneRequestCode",
      when: "with the handle of somebody else",
      call: askForCode("bragi", "+491512000005"),
      expects: 200,
      statements: 9
    },
    {
      operation: "PhoneRequestCode",
      when: "with the number of somebody else",
      call: askForCode("newcomer-too", bragi),
      expects: 200,
      statements: 8
    },
    {
      operation: "PhoneRequestCode",
      when: "taken",
      call: askForCode("odin", "+491512000005"),
      expects: HandleTaken,
      statements: 2
    },
    { operation: "PhoneSubmitCode", call: sendBack("sol", known), expects: 200, statements: 10 },
    {
      operation: "PhoneSubmitCode",
      when: "to sign up",
      call: sendBack("mani", unknown),
      expects: 200,
      statements: 14
    },
    {
      operation: "PhoneSubmitCode",
      when: "again",
      call: sendBack("sol", known),
      expects: PhoneCodeWrong,
      statements: 4
    },
    {
      operation: "PhoneSubmitCode",
      when: "with a wrong code",
      call: sendBack("bragi", "x"),
      expects: PhoneCodeWrong
    },
    {
      operation: "PhoneSubmitCode",
      when: "with a handle that nobody has",
      call: sendBack("nobody-at-all", "x"),
      expects: PhoneCodeWrong,
      statements: 3
    }
  ]
})
