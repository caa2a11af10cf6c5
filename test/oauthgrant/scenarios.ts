import { Effect } from "effect"
import { OAuthRefreshTokenNotFound } from "../../src/domain/oauthgrant/RefreshToken.ts"
import { Forbidden } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import { approved, exchange } from "../support/authorisations.ts"
import { createClient } from "../support/clients.ts"
import { Cast, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

const own = "/auth/oauth/tokens"
const all = "/admin/oauth/refresh-tokens"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const { client_id } = yield* createClient(odin, odin)
  for (const _ of [1, 2]) {
    ok(yield* exchange(client_id, yield* approved(odin, client_id, { scope: "offline_access" })))
  }
  const [one, another] = ok(yield* odin.get(own)).tokens
  return [
    { operation: "OAuthRefreshTokenList", call: odin.get(own), expects: 200, statements: 2 },
    { operation: "OAuthRefreshTokenList", when: "by a member", call: freya.get(own), expects: Forbidden },
    { operation: "AdminOAuthRefreshTokenList", call: odin.get(all), expects: 200, statements: 2 },
    {
      operation: "OAuthRefreshTokenDelete",
      call: odin.delete(`${own}/${one.id}`),
      expects: 204,
      statements: 4
    },
    {
      operation: "OAuthRefreshTokenDelete",
      when: "unknown",
      call: odin.delete(`${own}/${nobody}`),
      expects: "invalid_request"
    },
    {
      operation: "AdminOAuthRefreshTokenDelete",
      call: odin.delete(`${all}/${another.id}`),
      expects: 204,
      statements: 4
    },
    {
      operation: "AdminOAuthRefreshTokenDelete",
      when: "unknown",
      call: odin.delete(`${all}/${nobody}`),
      expects: OAuthRefreshTokenNotFound
    }
  ]
})
