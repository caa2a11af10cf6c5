/** Why no tokens are issued, in the words of OAuth (RFC 6749, 5.2). */
import { OAuthError, type OAuthErrorCode } from "../shared/OAuthError.ts"

const refusal = (error: OAuthErrorCode) => (error_description: string) =>
  new OAuthError({ error, error_description })

export const invalidRequest = refusal("invalid_request")
export const invalidGrant = refusal("invalid_grant")
export const invalidScope = refusal("invalid_scope")
export const unauthorizedClient = refusal("unauthorized_client")

export const missing = (field: string) => invalidRequest(`${field} is required`)

/** The account that tokens would be for is suspended, or gone. */
export const accountUnusable = invalidGrant("The account can do nothing now")
