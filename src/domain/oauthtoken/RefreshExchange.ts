/** New tokens for a refresh token, which is spent by that (RFC 6749, 6; RFC 9700, 4.14). */
import { DateTime, Effect, Option, Redacted, Result } from "effect"
import { decideRefresh } from "../oauthclient/Scopes.ts"
import { ClientAuthentication, checkGrant, scopedClient } from "../oauthgrant/ClientAuthentication.ts"
import { decidePresented } from "../oauthgrant/GrantRules.ts"
import { GrantStore } from "../oauthgrant/GrantStore.ts"
import { Grants } from "../oauthgrant/Grants.ts"
import { accountUnusable, invalidGrant, missing } from "../oauthgrant/Refusals.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import type { TokenRequest } from "./TokenRequest.ts"

const unusable = invalidGrant("The refresh token is unknown, expired or revoked")

export const makeRefreshExchange = Effect.gen(function* () {
  const clients = yield* ClientAuthentication
  const store = yield* GrantStore
  const grants = yield* Grants
  const tokens = yield* makeTokens

  const find = Effect.fnUntraced(function* (token: string) {
    if (!isToken(token)) return undefined
    return Option.getOrUndefined(yield* store.findRefresh(yield* tokens.hash(token)))
  })

  return Effect.fn("TokenEndpoint.refresh")(function* (request: TokenRequest, from: ClientNetwork) {
    if (request.refreshToken === undefined) return yield* missing("refresh_token")
    const client = yield* clients.find(request.client, from)
    yield* checkGrant(client, "refresh_token")
    yield* clients.checkSecret(client, request.client, from)
    const found = yield* find(Redacted.value(request.refreshToken))
    const decided = decidePresented(found, client.shown.id, yield* DateTime.now)
    if (Result.isFailure(decided)) {
      if (decided.failure === "reused" && found !== undefined) {
        yield* grants.endStolen(client, { grantId: found.grantId, accountId: found.subject.accountId })
      }
      return yield* decided.failure === "suspended" ? accountUnusable : unusable
    }
    const { scopes, subject } = decided.success
    const left = decideRefresh(scopes, scopedClient(client), subject.permissions)
    const issued = yield* grants.replace(decided.success, { client, subject, scopes: left })
    return Option.isSome(issued) ? issued.value : yield* unusable
  })
})
