/** Why no tokens are issued, in the words of OAuth (RFC 6749, 5.2). */
import type { ScopeRefusal } from "../oauthclient/Scopes.ts"
import { OAuthError, type OAuthErrorCode } from "../shared/OAuthError.ts"

const refusal = (error: OAuthErrorCode) => (error_description: string) =>
  new OAuthError({ error, error_description })

export const invalidRequest = refusal("invalid_request")
export const invalidGrant = refusal("invalid_grant")
export const unauthorizedClient = refusal("unauthorized_client")

export const invalidScope = (why: ScopeRefusal) => refusal("invalid_scope")(`The scope is refused: ${why}`)

export const missing = (field: string) => invalidRequest(`${field} is required`)

/** The account that tokens would be for is suspended, or gone. */
export const accountUnusable = invalidGrant("The account can do nothing now")

/** Somebody has deleted the client while it asked for tokens. */
export const clientGone = invalidGrant("The client was deleted")

/** Nothing is issued, told or ended while OAuth is off. */
export const switchedOff = invalidRequest("OAuth is not enabled")
