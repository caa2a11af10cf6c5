/** Asks people in their browser what to grant a client, and takes their decision (RFC 6749, 4.1.1 and 4.1.2). */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { OAuthClientStore } from "../oauthclient/OAuthClientStore.ts"
import { decideConsent } from "../oauthclient/Scopes.ts"
import { ClientAuthentication, noSuchClient, scopedClient } from "../oauthgrant/ClientAuthentication.ts"
import { consentOf, type Decision } from "../oauthgrant/Consent.ts"
import { disabled, mayGrant, notAllowed } from "../oauthgrant/Grantable.ts"
import { invalidRequest } from "../oauthgrant/Refusals.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import { OAuthLifetimes } from "../settings/OAuthLifetimes.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { checkRedirect, makeAsking } from "./Asking.ts"
import type { OAuthAuthoriseConsent } from "./Authorisation.ts"
import { returningTo } from "./AuthorisationRules.ts"
import { AuthorisationStore, type OpenAuthorisation } from "./AuthorisationStore.ts"

/** One text for all, so that nobody learns which questions there are. */
const notOpen = invalidRequest("There is no such request, or it was decided or has expired")

const make = Effect.gen(function* () {
  const store = yield* AuthorisationStore
  const clientStore = yield* OAuthClientStore
  const clients = yield* ClientAuthentication
  const tokens = yield* makeTokens
  const { oauthEnabled, publicUrl } = yield* Deployment
  const { authorisationCode: codeSeconds } = yield* OAuthLifetimes

  const issuer = addressOf(publicUrl)

  const getOpen = Effect.fnUntraced(function* (actor: AccountActor, requestId: string) {
    if (!oauthEnabled) return yield* disabled
    if (!isToken(requestId)) return yield* notOpen
    const found = yield* store.findOpen(yield* tokens.hash(requestId), actor.accountId, yield* DateTime.now)
    return Option.isSome(found) ? found.value : yield* notOpen
  })

  const getClient = Effect.fnUntraced(function* (actor: AccountActor, open: OpenAuthorisation) {
    if (!mayGrant(actor)) return yield* notAllowed
    const client = Option.getOrUndefined(yield* clientStore.find(open.clientId))
    if (client === undefined) return yield* noSuchClient
    // Whoever takes an address out of a client means it, also where somebody was asked before.
    yield* checkRedirect(client, open.redirectUri)
    return client
  })

  /** What the caller is asked. */
  const show = Effect.fn("Authorisations.show")(function* (requestId: string) {
    const actor = yield* CurrentAccount
    const open = yield* getOpen(actor, requestId)
    const client = yield* getClient(actor, open)
    const name = yield* clients.nameOf(client)
    const asking = { ...open, name, client: scopedClient(client), clientId: client.shown.client_id }
    const shown: OAuthAuthoriseConsent = {
      request_id: requestId,
      redirect_uri: open.redirectUri,
      ...consentOf(asking, actor.permissions)
    }
    return shown
  })

  const approve = Effect.fnUntraced(function* (actor: AccountActor, open: OpenAuthorisation) {
    const client = yield* getClient(actor, open)
    const scopes = decideConsent(open.scopes, scopedClient(client), actor.permissions)
    const code = yield* tokens.make
    const at = yield* DateTime.now
    const expiresAt = DateTime.add(at, { seconds: codeSeconds })
    const codeHash = yield* tokens.hash(code)
    if (!(yield* store.decide(open.id, { codeHash, expiresAt, scopes }, at))) return yield* notOpen
    return {
      status: "approved" as const,
      location: returningTo(open.redirectUri, { code, state: open.state }, issuer)
    }
  })

  const deny = Effect.fnUntraced(function* (open: OpenAuthorisation) {
    if (!(yield* store.decide(open.id, undefined, yield* DateTime.now))) return yield* notOpen
    const location = returningTo(open.redirectUri, { error: "access_denied", state: open.state }, issuer)
    return { status: "denied" as const, location }
  })

  /** Takes the decision of the caller, which is final, and answers where the browser goes. */
  const decide = Effect.fn("Authorisations.decide")(function* (requestId: string, decision: Decision) {
    const actor = yield* CurrentAccount
    const open = yield* getOpen(actor, requestId)
    return yield* decision === "approve" ? approve(actor, open) : deny(open)
  })

  return {
    begin: yield* makeAsking,
    show,
    decide,
    forget: Effect.flatMap(DateTime.now, store.forget)
  } as const
})

export class Authorisations extends Context.Service<Authorisations, Effect.Success<typeof make>>()(
  "forum/domain/Authorisations"
) {
  static readonly layer = Layer.effect(Authorisations, make).pipe(Layer.provide(ClientAuthentication.layer))
}
