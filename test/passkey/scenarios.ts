import { Effect } from "effect"
import { HandleTaken } from "../../src/domain/account/Account.ts"
import { LastAuthMethod } from "../../src/domain/authentication/AuthMethod.ts"
import { PasskeyInvalid, PasskeyNotSet, PasskeyWrong } from "../../src/domain/authentication/Passkey.ts"
import { HandleUnknown } from "../../src/domain/authentication/Password.ts"
import { ok } from "../support/answers.ts"
import { makePasskey } from "../support/authenticator.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { addTo, askForAssertion, askForCreation, sendAssertion, sendCreation } from "./support.ts"

const path = "/accounts/self/auth-methods"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki } = yield* Cast
  const [first, second, third] = [makePasskey(), makePasskey(), makePasskey()]
  yield* addTo(freya, "freya", first)
  const signUp = yield* askForCreation("sif")
  const addition = yield* askForCreation("freya", freya)
  const assertion = yield* askForAssertion("freya")
  const { active } = ok(yield* freya.get(path))
  const passkeyId = active.find(({ id }: { readonly id: string }) => id !== freya.id).id
  const [created, added] = [second.create(signUp.options), third.create(addition.options)]
  const signature = first.assert(assertion.options)
  return [
    {
      operation: "WebAuthnRequestCredential",
      call: guest.get("/auth/webauthn/make/sif"),
      expects: 200,
      statements: 2
    },
    {
      operation: "WebAuthnRequestCredential",
      when: "for one's own account",
      call: freya.get("/auth/webauthn/make/freya"),
      expects: 200,
      statements: 2
    },
    {
      operation: "WebAuthnRequestCredential",
      when: "taken",
      call: guest.get("/auth/webauthn/make/freya"),
      expects: HandleTaken
    },
    {
      operation: "WebAuthnMakeCredential",
      when: "without a state",
      call: sendCreation(created, undefined),
      expects: PasskeyInvalid
    },
    {
      operation: "WebAuthnMakeCredential",
      call: sendCreation(created, signUp.state),
      expects: 200,
      statements: 12
    },
    {
      operation: "WebAuthnMakeCredential",
      when: "for one's own account",
      call: sendCreation(added, addition.state, { person: freya }),
      expects: 200,
      statements: 5
    },
    {
      operation: "WebAuthnGetAssertion",
      call: guest.get("/auth/webauthn/assert/freya"),
      expects: 200,
      statements: 2
    },
    {
      operation: "WebAuthnGetAssertion",
      when: "without a passkey",
      call: guest.get("/auth/webauthn/assert/loki"),
      expects: PasskeyNotSet
    },
    {
      operation: "WebAuthnGetAssertion",
      when: "unknown",
      call: guest.get("/auth/webauthn/assert/nobody"),
      expects: HandleUnknown
    },
    {
      operation: "WebAuthnMakeAssertion",
      when: "without a state",
      call: sendAssertion(signature, undefined),
      expects: PasskeyWrong
    },
    {
      operation: "WebAuthnMakeAssertion",
      call: sendAssertion(signature, assertion.state),
      expects: 200,
      statements: 6
    },
    { operation: "AccountAuthProviderList", call: freya.get(path), expects: 200, statements: 2 },
    {
      operation: "AccountAuthMethodDelete",
      when: "unknown",
      call: freya.delete(`${path}/${nobody}`),
      expects: 200,
      statements: 4
    },
    {
      operation: "AccountAuthMethodDelete",
      call: freya.delete(`${path}/${passkeyId}`),
      expects: 200,
      statements: 6
    },
    {
      operation: "AccountAuthMethodDelete",
      when: "the last one",
      call: loki.delete(`${path}/${loki.id}`),
      expects: LastAuthMethod
    }
  ]
})
