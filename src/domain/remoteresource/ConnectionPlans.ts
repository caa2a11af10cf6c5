/** How a new connection is to be: what somebody gives, and what the resource and its server tell. */
import { Effect, Redacted } from "effect"
import { ownClient } from "../discovery/ClientMetadata.ts"
import { Deployment } from "../settings/Deployment.ts"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { decideDocumentClient, decideManual, decideRegistration } from "./ConnectionRules.ts"
import { type Registration, readRegistration, registrationRequest } from "./RegistrationRules.ts"
import { trimmed } from "./RemoteAddress.ts"
import type { ManualConfig, NewRemoteConnection } from "./RemoteConnection.ts"
import type { ConnectionInsert, Terms } from "./RemoteConnectionStore.ts"
import { type Discovered, getAddress, makeRemoteDiscovery } from "./RemoteDiscovery.ts"
import { RemoteRegistrationFailed } from "./RemoteRefusal.ts"
import { makeRemoteRequests } from "./RemoteRequests.ts"

/** What is known of a new connection before the server knows this service. */
export interface Plan
  extends Pick<ConnectionInsert, "mode" | "resourceName" | "registrationEndpoint">,
    Omit<Terms, "clientId" | "method"> {
  readonly resourceUrl: string
  readonly authorisationServer: string | undefined
  /** Makes this service known to the server, where it is not. */
  readonly register: Effect.Effect<Registration, RemoteRegistrationFailed>
}

/** Reads addresses of a manual configuration, as far as it has them. */
const getManualAddress = (field: keyof ManualConfig, text: string | undefined) =>
  text === undefined || text === ""
    ? Effect.undefined
    : Effect.map(getAddress(`manual.${field}`, text), (url) => url.href)

export const makeConnectionPlans = Effect.gen(function* () {
  const requests = yield* makeRemoteRequests
  const discover = yield* makeRemoteDiscovery
  const settings = yield* InstanceSettings
  const own = ownClient(yield* Deployment)

  const given = (clientId: string, redirectUri: string, secret?: string): Effect.Effect<Registration> =>
    Effect.succeed({
      clientId,
      clientSecret: secret === undefined || secret === "" ? undefined : Redacted.make(secret),
      method: secret === undefined || secret === "" ? "none" : "client_secret_basic",
      redirectUris: [redirectUri]
    })

  /** Without asking anybody. */
  const manualPlan = Effect.fnUntraced(function* (
    address: string,
    manual: ManualConfig,
    scope: string | undefined
  ) {
    const resource = yield* getAddress("resource_url", address)
    const required = yield* Effect.fromResult(decideManual(manual))
    const endpoint = (field: "authorization_endpoint" | "token_endpoint") =>
      Effect.map(getAddress(`manual.${field}`, required[field]), (url) => url.href)
    const issuer = yield* getManualAddress("authorization_server", manual.authorization_server)
    const server = issuer === undefined ? undefined : trimmed(new URL(issuer))
    const redirectUri = (yield* getManualAddress("redirect_uri", manual.redirect_uri)) ?? own.redirectUri
    return {
      mode: "manual",
      resourceUrl: resource.href,
      authorisationServer: server,
      authorisationEndpoint: yield* endpoint("authorization_endpoint"),
      tokenEndpoint: yield* endpoint("token_endpoint"),
      registrationEndpoint: undefined,
      resource: undefined,
      resourceName: undefined,
      redirectUri,
      scope,
      issuer: server,
      namesItself: false,
      register: given(required.client_id, redirectUri, manual.client_secret)
    } satisfies Plan
  })

  const registerAt = Effect.fnUntraced(function* (endpoint: string, scope: string | undefined) {
    const { title } = yield* settings.general
    const answer = yield* requests.post(endpoint, registrationRequest(own, title, scope))
    return yield* Effect.mapError(
      Effect.fromResult(readRegistration(answer, own.redirectUri)),
      (reason) => new RemoteRegistrationFailed({ metadata: { reason } })
    )
  })

  const termsOf = ({ namesItself, result }: Discovered, scope: string | undefined) => {
    const { authorization_server_metadata: server, protected_resource_metadata: resource } = result
    return {
      resourceUrl: result.resource_url,
      authorisationServer: result.authorization_server,
      authorisationEndpoint: server.authorization_endpoint,
      tokenEndpoint: server.token_endpoint,
      registrationEndpoint: server.registration_endpoint,
      resource: resource.resource,
      resourceName: resource.resource_name,
      redirectUri: own.redirectUri,
      scope,
      issuer: server.issuer,
      namesItself
    } as const
  }

  /** Where the server knows this service by what a person has registered there, which may be more than it tells. */
  const registeredPlan = Effect.fnUntraced(function* (
    found: Discovered,
    manual: ManualConfig,
    scope: string | undefined
  ) {
    const terms = termsOf(found, scope)
    const authorise = yield* getManualAddress("authorization_endpoint", manual.authorization_endpoint)
    const token = yield* getManualAddress("token_endpoint", manual.token_endpoint)
    const redirectUri = (yield* getManualAddress("redirect_uri", manual.redirect_uri)) ?? own.redirectUri
    return {
      ...terms,
      mode: "manual",
      authorisationEndpoint: authorise ?? terms.authorisationEndpoint,
      tokenEndpoint: token ?? terms.tokenEndpoint,
      redirectUri,
      register: given(manual.client_id ?? own.clientId, redirectUri, manual.client_secret)
    } satisfies Plan
  })

  /** What a new connection will be. Nothing is registered yet. */
  return Effect.fnUntraced(function* ({
    manual = {},
    mode,
    resource_url,
    scope = manual.scope
  }: NewRemoteConnection) {
    if (mode === "manual") return yield* manualPlan(resource_url, manual, scope)
    const found = yield* discover(resource_url)
    const server = found.result.authorization_server_metadata
    const chosen = mode ?? found.result.mode
    if (chosen === "manual") return yield* registeredPlan(found, manual, scope)
    if (chosen === "cimd") {
      yield* Effect.fromResult(decideDocumentClient(server))
      const register = given(own.clientId, own.redirectUri)
      return { ...termsOf(found, scope), mode: chosen, register } satisfies Plan
    }
    const endpoint = yield* Effect.fromResult(decideRegistration(server))
    return { ...termsOf(found, scope), mode: chosen, register: registerAt(endpoint, scope) } satisfies Plan
  })
})
