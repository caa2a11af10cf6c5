/** Tokens with which a client acts for its owner by itself (RFC 6749, 4.4). */
import { Effect, Result } from "effect"
import { decideClientCredentials } from "../oauthclient/Scopes.ts"
import { ClientAuthentication, checkGrant, scopedClient } from "../oauthgrant/ClientAuthentication.ts"
import { Grants } from "../oauthgrant/Grants.ts"
import { invalidScope, unauthorizedClient } from "../oauthgrant/Refusals.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { TokenRequest } from "./TokenRequest.ts"

export const makeOwnExchange = Effect.gen(function* () {
  const clients = yield* ClientAuthentication
  const grants = yield* Grants

  return Effect.fn("TokenEndpoint.clientCredentials")(function* (request: TokenRequest, from: ClientNetwork) {
    const client = yield* clients.find(request.client, from)
    const { account_id, type } = client.shown
    if (type !== "confidential")
      return yield* unauthorizedClient("The client has no secret, so that it cannot act by itself")
    yield* checkGrant(client, "client_credentials")
    yield* clients.checkSecret(client, request.client, from)
    if (account_id === undefined)
      return yield* unauthorizedClient("The client belongs to nobody for whom it could act")
    const subject = yield* grants.getSubject(account_id)
    const scopes = decideClientCredentials(request.scope, scopedClient(client), subject.permissions)
    if (Result.isFailure(scopes)) return yield* invalidScope(scopes.failure)
    return yield* grants.beginOwn({ client, subject, scopes: scopes.success })
  })
})
