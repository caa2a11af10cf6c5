/** How connections to remote resources are made, finished and kept up. Pure. */
import { DateTime, Result } from "effect"
import type { AccountId } from "../shared/Id.ts"
import type { ManualConfig } from "./RemoteConnection.ts"
import type { Lease, StoredAuthorisation, StoredConnection, Terms } from "./RemoteConnectionStore.ts"
import type { AuthorisationServerMetadata } from "./RemoteMetadata.ts"
import { type CallbackRefusal, RemoteManualIncomplete, RemoteModeUnsupported } from "./RemoteRefusal.ts"

/** What of a manual configuration there has to be where nothing is discovered. */
export interface RequiredManual {
  readonly client_id: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
}

/** Whether a manual configuration is enough without discovery. */
export const decideManual = ({
  authorization_endpoint = "",
  client_id = "",
  token_endpoint = ""
}: ManualConfig): Result.Result<RequiredManual, RemoteManualIncomplete> => {
  const required: RequiredManual = { client_id, authorization_endpoint, token_endpoint }
  const missing = Object.entries(required).flatMap(([name, value]) => (value === "" ? [name] : []))
  return missing.length === 0
    ? Result.succeed(required)
    : Result.fail(new RemoteManualIncomplete({ metadata: { missing } }))
}

/** Whether a server takes a client that has no secret. */
export const decideDocumentClient = ({
  token_endpoint_auth_methods_supported: listed
}: AuthorisationServerMetadata): Result.Result<void, RemoteModeUnsupported> =>
  listed === undefined || listed.includes("none")
    ? Result.void
    : Result.fail(new RemoteModeUnsupported({ metadata: { mode: "cimd" } }))

/** Where a server registers clients. */
export const decideRegistration = ({
  registration_endpoint
}: AuthorisationServerMetadata): Result.Result<string, RemoteModeUnsupported> =>
  registration_endpoint === undefined
    ? Result.fail(new RemoteModeUnsupported({ metadata: { mode: "dcr" } }))
    : Result.succeed(registration_endpoint)

/** The address to which a browser is sent to approve, with parameters that the server has in it already. */
export const authorisationUrl = (
  { authorisationEndpoint, clientId, redirectUri, resource, scope }: Terms,
  state: string,
  challenge: string
): string => {
  const url = new URL(authorisationEndpoint)
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(scope === undefined ? {} : { scope }),
    ...(resource === undefined ? {} : { resource })
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** What a browser brings back from a server. */
export interface Brought {
  readonly state: string
  readonly code: string
  readonly iss?: string | undefined
}

/** Whether somebody may use a state, as it is now. */
export const decideReturn = (
  { accountId, expiresAt, isUsed }: StoredAuthorisation,
  caller: AccountId,
  now: DateTime.Utc
): "use" | "another's" | CallbackRefusal => {
  if (accountId !== caller) return "another's"
  if (isUsed) return "used"
  return DateTime.isLessThan(now, expiresAt) ? "use" : "expired"
}

// Issuers are written with and without a slash at their end.
const bare = (issuer: string) => issuer.replace(/\/+$/, "")

/** Whether the server of a connection has sent the browser back, as far as it says so (RFC 9207). */
export const isFromServer = (
  { issuer, namesItself }: Pick<Terms, "issuer" | "namesItself">,
  iss: string | undefined
): boolean => {
  if (iss === undefined) return !namesItself
  return issuer === undefined || bare(iss) === bare(issuer)
}

/** How long before they expire tokens are refreshed, and how long one has to refresh them. */
export const refreshAhead = { minutes: 5 } as const
export const leaseFor = { seconds: 30 } as const

/** What is known of the tokens of a connection. */
export interface TokenState {
  readonly hasAccessToken: boolean
  readonly hasRefreshToken: boolean
  readonly expiry: DateTime.Utc | undefined
  readonly lease: Lease | undefined
}

export const tokenStateOf = (connection: StoredConnection): TokenState => ({
  hasAccessToken: connection.sealedAccessToken !== undefined,
  hasRefreshToken: connection.sealedRefreshToken !== undefined,
  expiry: connection.expiry,
  lease: connection.lease
})

/**
 * What is done for who needs a token: there is none; it is used as it is; it has expired, and nothing can be done about that
 * now; another one refreshes it, or it is refreshed.
 */
export type Upkeep = "missing" | "use" | "expired" | "wait" | "refresh"

export const decideUpkeep = (
  { expiry, hasAccessToken, hasRefreshToken, lease }: TokenState,
  now: DateTime.Utc
): Upkeep => {
  if (!hasAccessToken) return "missing"
  if (expiry === undefined) return "use"
  if (DateTime.isGreaterThan(expiry, DateTime.add(now, refreshAhead))) return "use"
  const asItIs = DateTime.isGreaterThan(expiry, now) ? "use" : "expired"
  if (!hasRefreshToken) return asItIs
  if (lease === undefined || DateTime.isGreaterThanOrEqualTo(now, lease.until)) return "refresh"
  return lease.holder === undefined ? asItIs : "wait"
}
