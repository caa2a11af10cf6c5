import { Effect } from "effect"
import { guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  // The first who asks makes the key.
  yield* guest.get("/oauth/jwks")
  return [{ operation: "OAuthJWKS", call: guest.get("/oauth/jwks"), expects: 200, statements: 0 }]
})
