import { Effect } from "effect"
import { asked, authorisation, consentOf } from "../support/authorisations.ts"
import { createClient } from "../support/clients.ts"
import { Cast } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { odin } = yield* Cast
  const { client_id } = yield* createClient(odin, odin)
  const request_id = yield* asked(odin, client_id)
  return [
    { operation: "OAuthAuthorise", call: odin.get(authorisation(client_id)), expects: 302, statements: 3 },
    {
      operation: "OAuthAuthorise",
      when: "by a client that there is not",
      call: odin.get(authorisation("nobody")),
      expects: "invalid_client"
    },
    {
      operation: "OAuthAuthoriseConsent",
      call: odin.get(consentOf(request_id)),
      expects: 200,
      statements: 3
    },
    {
      operation: "OAuthAuthoriseConsent",
      when: "that there is not",
      call: odin.get(consentOf("nothing")),
      expects: "invalid_request"
    },
    {
      operation: "OAuthAuthoriseConsentSubmit",
      call: odin.post("/oauth/authorize/consent", { request_id, decision: "approve" }),
      expects: 200,
      statements: 4
    },
    {
      operation: "OAuthAuthoriseConsentSubmit",
      when: "that was decided",
      call: odin.post("/oauth/authorize/consent", { request_id, decision: "deny" }),
      expects: "invalid_request"
    }
  ]
})
