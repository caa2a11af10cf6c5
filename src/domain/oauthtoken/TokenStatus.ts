/** Tells clients what their tokens are worth, and ends them (RFC 7009, RFC 7662). */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { formatScopes } from "../oauthclient/Scopes.ts"
import {
  type AskingClient,
  ClientAuthentication,
  type PresentedClient
} from "../oauthgrant/ClientAuthentication.ts"
import { type FoundAccess, type FoundRefresh, GrantStore } from "../oauthgrant/GrantStore.ts"
import { invalidGrant, missing, switchedOff } from "../oauthgrant/Refusals.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { epochSeconds } from "../shared/Seconds.ts"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { AccessTokens } from "../signing/AccessTokens.ts"
import type { Introspected } from "./Introspection.ts"

/** What a client asks about a token. */
export interface StatusRequest {
  readonly client: PresentedClient
  readonly token: Redacted.Redacted | undefined
}

type Found =
  | ({ readonly kind: "access"; readonly accessId: string } & FoundAccess)
  | ({ readonly kind: "refresh" } & FoundRefresh)

const inactive: Introspected = { active: false }

const make = Effect.gen(function* () {
  const clients = yield* ClientAuthentication
  const store = yield* GrantStore
  const accessTokens = yield* AccessTokens
  const tokens = yield* makeTokens
  const { oauthEnabled, publicUrl } = yield* Deployment

  const issuer = addressOf(publicUrl)

  const findRefresh = Effect.fnUntraced(function* (token: string) {
    const found = yield* store.findRefresh(yield* tokens.hash(token))
    return Option.map(found, (refresh): Found => ({ kind: "refresh", ...refresh }))
  })

  const findAccess = Effect.fnUntraced(function* (token: string) {
    const read = yield* accessTokens.find(token)
    if (Option.isNone(read)) return Option.none<Found>()
    const accessId = read.value.id
    const found = yield* store.findAccess(accessId)
    return Option.map(found, (access): Found => ({ kind: "access", accessId, ...access }))
  })

  /** The token that a text is, whoever it was issued to. What it is can be told by its form, whatever the hint. */
  const findToken = (token: string) => (isToken(token) ? findRefresh(token) : findAccess(token))

  const getClient = Effect.fnUntraced(function* (
    { client: presented, token }: StatusRequest,
    from: ClientNetwork
  ) {
    if (!oauthEnabled) return yield* switchedOff
    if (token === undefined) return yield* missing("token")
    const client = yield* clients.find(presented, from)
    yield* clients.checkSecret(client, presented, from)
    return { client, token: Redacted.value(token) }
  })

  /** Ends a token: with a refresh token all that was granted, with an access token that one alone. */
  const revoke = Effect.fn("TokenStatus.revoke")(function* (request: StatusRequest, from: ClientNetwork) {
    const { client, token } = yield* getClient(request, from)
    const found = Option.getOrUndefined(yield* findToken(token))
    if (found === undefined) return
    if (found.clientId !== client.shown.id)
      return yield* invalidGrant("The token was issued to another client")
    const at = yield* DateTime.now
    if (found.kind === "refresh") yield* store.end(found.grantId, at)
    else yield* store.endAccess(found.accessId, at)
  })

  const isActive = (found: Found, client: AskingClient, now: DateTime.Utc) =>
    found.clientId === client.shown.id &&
    !found.isEnded &&
    !(found.kind === "refresh" && found.isSpent) &&
    !found.subject.suspended &&
    DateTime.isGreaterThan(found.expiresAt, now)

  const shown = (found: Found, client: AskingClient): Introspected => ({
    active: true,
    scope: formatScopes(found.scopes),
    client_id: client.shown.client_id,
    username: found.subject.handle,
    sub: found.subject.accountId,
    iss: issuer,
    iat: epochSeconds(found.createdAt),
    exp: epochSeconds(found.expiresAt),
    ...(found.kind === "access"
      ? { token_type: "Bearer" as const, aud: `${issuer}/api`, jti: found.accessId }
      : {})
  })

  /** What a token of the client is worth now. That of another is worth nothing to it. */
  const introspect = Effect.fn("TokenStatus.introspect")(function* (
    request: StatusRequest,
    from: ClientNetwork
  ) {
    const { client, token } = yield* getClient(request, from)
    yield* clients.checkConfidential(client, request.client)
    const found = Option.getOrUndefined(yield* findToken(token))
    if (found === undefined || !isActive(found, client, yield* DateTime.now)) return inactive
    return shown(found, client)
  })

  return { revoke, introspect } as const
})

export class TokenStatus extends Context.Service<TokenStatus, Effect.Success<typeof make>>()(
  "forum/domain/TokenStatus"
) {
  static readonly layer = Layer.effect(TokenStatus, make).pipe(
    Layer.provide(Layer.merge(ClientAuthentication.layer, AccessTokens.layer))
  )
}
