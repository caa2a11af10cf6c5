/** Requests for tokens (RFC 6749, 3.2), whatever they are asked for with. */
import type { Redacted } from "effect"
import type { CodeRequest } from "../oauthcode/CodeExchange.ts"

/** The fields of a request. An empty one is absent. */
export interface TokenRequest extends CodeRequest {
  readonly grantType: string | undefined
  readonly scope: string | undefined
  readonly deviceCode: Redacted.Redacted | undefined
  readonly refreshToken: Redacted.Redacted | undefined
}
