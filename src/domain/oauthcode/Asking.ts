/** What becomes of a browser that a client has sent (RFC 6749, 4.1.1). */
import { DateTime, Effect, Result } from "effect"
import type { StoredClient } from "../oauthclient/OAuthClientStore.ts"
import { isRegisteredRedirect } from "../oauthclient/RedirectAddress.ts"
import { decideAuthorisation } from "../oauthclient/Scopes.ts"
import { ClientAuthentication, noSuchClient } from "../oauthgrant/ClientAuthentication.ts"
import { disabled, mayGrant, notAllowed } from "../oauthgrant/Grantable.ts"
import { invalidRequest, invalidScope, missing } from "../oauthgrant/Refusals.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import { OAuthAddresses } from "../settings/OAuthAddresses.ts"
import type { AccountActor, Actor } from "../shared/Actor.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { OAuthAuthorisationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { OAuthError, type OAuthErrorCode } from "../shared/OAuthError.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { requestMinutes } from "./Authorisation.ts"
import { isProof, returningTo } from "./AuthorisationRules.ts"
import { AuthorisationStore } from "./AuthorisationStore.ts"

/** The parameters with which a client sends a browser. An empty one is absent. */
export interface AuthorisationRequest {
  readonly responseType: string | undefined
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  readonly scope: string | undefined
  readonly state: string | undefined
  readonly nonce: string | undefined
  readonly challenge: string | undefined
  readonly challengeMethod: string | undefined
}

/** Where a browser goes: to sign in first, or to what was found. */
export type Next =
  | { readonly _tag: "SignIn"; readonly location: string }
  | { readonly _tag: "Go"; readonly location: string }

/** Fails unless the client has registered the address now. */
export const checkRedirect = ({ shown }: StoredClient, address: string) =>
  isRegisteredRedirect(shown.redirect_uris, address)
    ? Effect.void
    : invalidRequest("redirect_uri is not one that the client has registered")

export const makeAsking = Effect.gen(function* () {
  const store = yield* AuthorisationStore
  const clients = yield* ClientAuthentication
  const tokens = yield* makeTokens
  const ids = yield* Ids
  const { oauthEnabled, publicUrl } = yield* Deployment
  const { codeConsent, signIn } = yield* OAuthAddresses

  const issuer = addressOf(publicUrl)

  /** What is wrong with a request, whoever sends it, is never told by a redirect: the address may be an attacker's. */
  const checkForm = Effect.fnUntraced(function* (request: AuthorisationRequest) {
    const { challenge, challengeMethod, clientId, redirectUri, responseType } = request
    if (responseType === undefined) return yield* missing("response_type")
    if (clientId === undefined) return yield* missing("client_id")
    if (redirectUri === undefined) return yield* missing("redirect_uri")
    if (challenge === undefined) return yield* missing("code_challenge")
    if (responseType !== "code") {
      return yield* new OAuthError({
        error: "unsupported_response_type",
        error_description: "The only response type is code"
      })
    }
    if (challengeMethod !== "S256") return yield* invalidRequest("code_challenge_method has to be S256")
    if (!isProof(challenge)) {
      return yield* invalidRequest("code_challenge has 43 to 128 letters, digits and -._~")
    }
    return { ...request, clientId, redirectUri, challenge }
  })

  const ask = Effect.fnUntraced(function* (
    actor: AccountActor,
    request: Effect.Success<ReturnType<typeof checkForm>>,
    from: ClientNetwork
  ) {
    const { challenge, clientId, nonce, redirectUri, state } = request
    const client = yield* clients.getNamed(clientId, from)
    yield* checkRedirect(client, redirectUri)
    const back = (error: OAuthErrorCode, error_description: string) =>
      returningTo(redirectUri, { error, error_description, state }, issuer)
    if (actor.suspended || !mayGrant(actor)) return back("access_denied", notAllowed.error_description)
    if (!client.shown.allowed_grants.includes("authorization_code")) {
      return back("unauthorized_client", "The client may not use the grant authorization_code")
    }
    const scopes = decideAuthorisation(request.scope)
    if (Result.isFailure(scopes)) return back("invalid_scope", invalidScope(scopes.failure).error_description)
    const requestId = yield* tokens.make
    const at = yield* DateTime.now
    const isStored = yield* store.insert({
      id: OAuthAuthorisationId.make(yield* ids.next),
      requestHash: yield* tokens.hash(requestId),
      clientId: client.shown.id,
      accountId: actor.accountId,
      redirectUri,
      scopes: scopes.success,
      state,
      nonce,
      challenge,
      at,
      expiresAt: DateTime.add(at, { minutes: requestMinutes })
    })
    if (!isStored) return yield* noSuchClient
    const page = new URL(codeConsent)
    page.searchParams.set("request_id", requestId)
    return page.href
  })

  /** Where a browser goes that a client has sent. */
  return Effect.fn("Authorisations.begin")(function* (
    actor: Actor,
    request: AuthorisationRequest,
    from: ClientNetwork
  ) {
    const checked = yield* checkForm(request)
    if (actor._tag === "Guest") return { _tag: "SignIn", location: signIn.href } satisfies Next
    if (!oauthEnabled) return yield* disabled
    return { _tag: "Go", location: yield* ask(actor, checked, from) } satisfies Next
  })
})
