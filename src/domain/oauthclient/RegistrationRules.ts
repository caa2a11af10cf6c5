/** What clients can be that register by themselves. Pure. */
import { DateTime, Duration, Result } from "effect"
import { OAuthError, type OAuthErrorCode, unauthorized } from "../shared/OAuthError.ts"
import { secondsUntil } from "../shared/Seconds.ts"
import { type Scope, standardScopes } from "../vocabulary/Scope.ts"
import type { ClientType, Grant } from "./OAuthClientFields.ts"
import { type AuthMethod, type ChangedMetadata, type ClientMetadata, issuedFields } from "./Registration.ts"
import { parseScopes } from "./Scopes.ts"

/** What a client says of itself that decides on nothing. */
export interface ClientDetails {
  readonly application_type?: string
  readonly logo_uri?: string
  readonly client_uri?: string
  readonly tos_uri?: string
  readonly policy_uri?: string
}

/** What a client is by what it says of itself. */
export interface RegisteredValues {
  /** Its name; none, if it is to be called by its id. */
  readonly name: string | undefined
  readonly type: ClientType
  readonly redirectUris: ReadonlyArray<string>
  readonly allowedScopes: ReadonlyArray<Scope>
  readonly allowedGrants: ReadonlyArray<Grant>
  readonly authMethod: AuthMethod
  readonly details: ClientDetails
}

const refused = (error: OAuthErrorCode, error_description: string) =>
  Result.fail(new OAuthError({ error, error_description }))

const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)]

const kept = (fields: { readonly [Name in keyof ClientDetails]: string | undefined }): ClientDetails =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""))

/** What a client becomes that says this of itself. */
export const decideRegistration = ({
  application_type,
  client_name,
  client_uri,
  grant_types = ["authorization_code", "refresh_token"],
  logo_uri,
  policy_uri,
  redirect_uris = [],
  response_types = ["code"],
  scope = "",
  token_endpoint_auth_method: authMethod = "client_secret_basic",
  tos_uri
}: ClientMetadata): Result.Result<RegisteredValues, OAuthError> => {
  if (!grant_types.includes("authorization_code")) {
    return refused("invalid_client_metadata", "grant_types has to have authorization_code")
  }
  if (!response_types.includes("code")) {
    return refused(
      "invalid_client_metadata",
      "response_types has to have code, as authorization_code needs it"
    )
  }
  if (redirect_uris.length === 0) {
    return refused("invalid_redirect_uri", "redirect_uris has to have an address")
  }
  const scopes =
    scope.trim() === "" ? Result.succeed<ReadonlyArray<Scope>>(standardScopes) : parseScopes(scope)
  if (Result.isFailure(scopes)) {
    return refused("invalid_client_metadata", `scope cannot be read: ${scopes.failure}`)
  }
  return Result.succeed({
    name: client_name,
    type: authMethod === "none" ? "public" : "confidential",
    redirectUris: distinct(redirect_uris),
    allowedScopes: scopes.success,
    allowedGrants: distinct(grant_types),
    authMethod,
    details: kept({ application_type, logo_uri, client_uri, tos_uri, policy_uri })
  })
}

/** What a client becomes that changes what it says of itself. It has to name itself, and says nothing that only the service says. */
export const decideRegistrationChange = (
  clientId: string,
  changed: ChangedMetadata
): Result.Result<RegisteredValues, OAuthError> => {
  if (changed.client_id !== clientId) {
    return refused("invalid_client_metadata", "client_id has to be that of the address")
  }
  const issued = issuedFields.find((field) => changed[field] !== undefined)
  if (issued !== undefined) return refused("invalid_request", `${issued} must not be sent`)
  return decideRegistration(changed)
}

/** The token in a header; nothing in one of another form. */
export type Presented =
  | { readonly _tag: "None" }
  | { readonly _tag: "Bearer"; readonly token: string | undefined }

const bearerForm = /^Bearer +(\S+)$/i

export const readPresented = (authorization: string | undefined): Presented =>
  authorization === undefined
    ? { _tag: "None" }
    : { _tag: "Bearer", token: bearerForm.exec(authorization)?.[1] }

export const tokenMissing = unauthorized("Bearer", "invalid_token", "A bearer token is needed")

export const tokenInvalid = unauthorized(
  'Bearer error="invalid_token"',
  "invalid_token",
  "The bearer token is not valid here"
)

export const registrationUnavailable = (error_description: string) =>
  new OAuthError({ error: "temporarily_unavailable", error_description })

/** The time within which the clients of a network are counted. */
export const countedWithin = Duration.days(1)

/** Seconds until a network may register another client; `oldest` is when the oldest one was registered that counts. */
export const secondsUntilNext = (oldest: DateTime.Utc, now: DateTime.Utc): number =>
  secondsUntil(DateTime.addDuration(oldest, countedWithin), now)
