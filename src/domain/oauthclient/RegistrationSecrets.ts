/** What all that is done with registrations needs: how their secrets are made, and how they are shown. */
import { Effect, Redacted } from "effect"
import { PasswordHashing } from "../authentication/PasswordHashing.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { type OAuthClient, secretPrefix } from "./OAuthClient.ts"
import { type AuthMethod, type Registration, registrationTokenPrefix } from "./Registration.ts"
import { type ClientDetails, registrationUnavailable } from "./RegistrationRules.ts"
import { formatScopes } from "./Scopes.ts"

/** A registration with the secrets that are shown this once. */
export interface ShownRegistration {
  readonly registration: Omit<Registration, "client_secret" | "registration_access_token">
  readonly token: Redacted.Redacted
  readonly secret: Redacted.Redacted | undefined
}

/** What a client has that has no secret. */
export const noSecret = { secret: undefined, secretHash: undefined }

export const makeRegistrationSecrets = Effect.gen(function* () {
  const tokens = yield* makeTokens
  const hashing = yield* PasswordHashing
  const { oauthEnabled, publicUrl } = yield* Deployment
  const address = `${addressOf(publicUrl)}/api/oauth/register`

  const checkEnabled = oauthEnabled
    ? Effect.void
    : Effect.fail(registrationUnavailable("OAuth is not enabled on this instance"))

  const show = (
    client: OAuthClient,
    said: { readonly authMethod: AuthMethod; readonly details: ClientDetails },
    token: string,
    secret: Redacted.Redacted | undefined
  ): ShownRegistration => ({
    registration: {
      client_id: client.client_id,
      client_id_issued_at: Math.floor(Date.parse(client.createdAt) / 1000),
      client_secret_expires_at: 0,
      registration_client_uri: `${address}/${client.client_id}`,
      ...(client.name === client.client_id ? {} : { client_name: client.name }),
      redirect_uris: client.redirect_uris,
      grant_types: client.allowed_grants,
      response_types: client.allowed_grants.includes("authorization_code") ? ["code"] : [],
      ...(client.allowed_scopes.length === 0 ? {} : { scope: formatScopes(client.allowed_scopes) }),
      token_endpoint_auth_method: said.authMethod,
      ...said.details
    },
    token: Redacted.make(token),
    secret
  })

  const newToken = Effect.gen(function* () {
    const token = `${registrationTokenPrefix}${yield* tokens.make}`
    return { token, tokenHash: yield* tokens.hash(token) }
  })

  const newSecret = Effect.gen(function* () {
    const secret = Redacted.make(`${secretPrefix}${yield* tokens.make}`)
    return { secret, secretHash: yield* hashing.hash(secret) }
  })

  return { checkEnabled, show, newToken, newSecret } as const
})
