/**
 * The failures that clients of OAuth know by their standard form (RFC 6749, 5.2) instead of as a problem. Operations
 * declare it beside their problems; an answer is one or the other, and its content type says which.
 */
import { Schema } from "effect"

export const OAuthErrorCode = Schema.Literals([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "invalid_scope",
  "access_denied",
  "authorization_pending",
  "slow_down",
  "expired_token",
  "temporarily_unavailable",
  "invalid_client_metadata",
  "invalid_redirect_uri",
  "invalid_token"
]).annotate({
  identifier: "OAuthErrorCode",
  description: "Which failure it is, as standards of OAuth name it"
})
export type OAuthErrorCode = typeof OAuthErrorCode.Type

/** The characters that descriptions have: printable ASCII without quotes and backslashes. */
const Description = Schema.String.check(
  Schema.isPattern(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/u, { expected: "printable ASCII" })
).annotate({ description: "The failure in a sentence, for those who write clients" })

export class OAuthError extends Schema.Error<OAuthError>("OAuthError")(
  { error: OAuthErrorCode, error_description: Description },
  { httpApiStatus: 400 }
) {}

/** The same, where the request has to prove who sent it. `challenge` goes into a header, and not into the body. */
export class OAuthUnauthorized extends Schema.Error<OAuthUnauthorized>("OAuthUnauthorized")(
  { error: OAuthErrorCode, error_description: Description },
  { httpApiStatus: 401 }
) {
  /** By what scheme it can be proven: the value of `WWW-Authenticate` (RFC 9110, 11.6.1). */
  challenge = "Bearer"
}

/** A failure that tells by a challenge how the request proves who sent it. */
export const unauthorized = (
  challenge: string,
  error: OAuthErrorCode,
  error_description: string
): OAuthUnauthorized => Object.assign(new OAuthUnauthorized({ error, error_description }), { challenge })

/** The body of such an answer. */
export const oauthErrorBody = ({ error, error_description }: OAuthError | OAuthUnauthorized) => ({
  error,
  error_description
})
