import type { DateTime, Redacted } from "effect"
import type { AccountId } from "../shared/Id.ts"
import type { AccessToken } from "../signing/AccessTokens.ts"

/** Days a session lasts from when it was issued; it is never prolonged. */
export const sessionDays = 90

/** How many sessions an account has at most. Another one ends the one that began longest ago. */
export const sessionsMax = 100

/** A session just begun. The token is shown once and kept only as its SHA-256. */
export interface IssuedSession {
  readonly accountId: AccountId
  readonly token: Redacted.Redacted
  readonly expiresAt: DateTime.Utc
}

/** What a request presents to say who it is from. */
export interface Credentials {
  /** The values of all session cookies, in their order: others than ours may set some of the same name. */
  readonly cookies: ReadonlyArray<string>
  readonly bearer: string | undefined
}

/** The credentials that may say who a request is from. Those that are malformed are left out. */
export interface Presented {
  /** The SHA-256 of the token of a session. */
  readonly session?: Uint8Array
  /** The SHA-256 of an access key. */
  readonly accessKey?: Uint8Array
  /** An access token of OAuth whose signature and claims are good. Whether it was ended is known to storage alone. */
  readonly accessToken?: AccessToken
}
