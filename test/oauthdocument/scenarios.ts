import { Effect } from "effect"
import { asked, authorisation, redirectUri } from "../support/authorisations.ts"
import * as Pages from "../support/pages.ts"
import { Cast } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

/** The address of a client whose document may be kept. */
const addressOf = (name: string) => `https://${name}.example/client`

const describe = (client_id: string) =>
  Effect.sync(() => Pages.put(client_id, Pages.json({ client_id, redirect_uris: [redirectUri] })))

export const scenarios: Scenarios = Effect.gen(function* () {
  const { odin } = yield* Cast
  const [lighthouse, pier] = [addressOf("lighthouse"), addressOf("pier")]
  yield* describe(lighthouse)
  yield* describe(pier)
  yield* asked(odin, pier)
  return [
    {
      operation: "OAuthAuthorise",
      when: "by a client that its document describes",
      call: odin.get(authorisation(lighthouse)),
      expects: 302,
      statements: 8
    },
    {
      operation: "OAuthAuthorise",
      when: "by a client whose document is known",
      call: odin.get(authorisation(pier)),
      expects: 302,
      statements: 3
    },
    {
      operation: "OAuthAuthorise",
      when: "by an address without a document",
      call: odin.get(authorisation(addressOf("nowhere"))),
      expects: "invalid_client"
    }
  ]
})
