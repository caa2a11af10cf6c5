/** Asks the token endpoints of connections for tokens. */
import { DateTime, Effect, Redacted } from "effect"
import type { StoredConnection, TokensUpdate } from "./RemoteConnectionStore.ts"
import { makeRemoteRequests } from "./RemoteRequests.ts"
import { makeRemoteSecrets } from "./RemoteSecrets.ts"
import { type Grant, readGrant, tokenRequest } from "./TokenRules.ts"

export const makeTokenEndpoint = Effect.gen(function* () {
  const requests = yield* makeRemoteRequests
  const secrets = yield* makeRemoteSecrets

  const ask = Effect.fnUntraced(function* (
    { sealedSecret, shown, terms }: StoredConnection,
    parameters: Readonly<Record<string, string>>
  ) {
    const clientSecret =
      sealedSecret === undefined ? undefined : yield* secrets.open("client secret", shown.id, sealedSecret)
    // The token is for this resource, at servers that know several (RFC 8707, 2.2).
    const aimed = terms.resource === undefined ? parameters : { ...parameters, resource: terms.resource }
    const credentials = { clientId: terms.clientId, clientSecret, method: terms.method }
    const answer = yield* requests.post(terms.tokenEndpoint, tokenRequest(credentials, aimed))
    return yield* Effect.fromResult(readGrant(answer, yield* DateTime.now))
  })

  /** The tokens for a code that a browser brought. */
  const exchange = (connection: StoredConnection, code: string, verifier: Redacted.Redacted) =>
    ask(connection, {
      grant_type: "authorization_code",
      code,
      redirect_uri: connection.terms.redirectUri,
      code_verifier: Redacted.value(verifier)
    })

  const refresh = (connection: StoredConnection, token: Redacted.Redacted) =>
    ask(connection, { grant_type: "refresh_token", refresh_token: Redacted.value(token) })

  /** A grant as it is stored. */
  const sealed = Effect.fnUntraced(function* ({ shown }: StoredConnection, grant: Grant) {
    return {
      sealedAccessToken: yield* secrets.seal("access token", shown.id, grant.accessToken),
      sealedRefreshToken: yield* secrets.sealGiven("refresh token", shown.id, grant.refreshToken),
      tokenType: grant.tokenType,
      expiry: grant.expiry,
      scope: grant.scope,
      at: yield* DateTime.now
    } satisfies TokensUpdate
  })

  return { exchange, refresh, sealed } as const
})
