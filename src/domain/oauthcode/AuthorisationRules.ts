/** What becomes of authorisations and their codes, and where they lead. Pure. */
import { DateTime, Result } from "effect"
import type { OAuthClientId } from "../shared/Id.ts"
import type { OAuthErrorCode } from "../shared/OAuthError.ts"
import type { FoundCode } from "./AuthorisationStore.ts"

/** The form of challenges and of what they are made of (RFC 7636, 4.1 and 4.2). */
const proofForm = /^[A-Za-z0-9\-._~]{43,128}$/

export const isProof = (text: string): boolean => proofForm.test(text)

/** What the browser takes to the client beside the issuer. */
export type Returned =
  | { readonly code: string; readonly state: string | undefined }
  | {
      readonly error: OAuthErrorCode
      readonly error_description?: string
      readonly state: string | undefined
    }

/**
 * The address of a client with what the browser takes there. A query that the address has stays. Who issued it stands in
 * it, so that a client knows which of several servers answers (RFC 9207).
 */
export const returningTo = (redirectUri: string, returned: Returned, issuer: string): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(returned)) if (value !== undefined) query.append(name, value)
  query.append("iss", issuer)
  const separator = redirectUri.includes("?") ? (/[?&]$/.test(redirectUri) ? "" : "&") : "?"
  return `${redirectUri}${separator}${query}`
}

/** Why a code is refused. */
export type CodeRefusal = "unknown" | "used" | "expired"

/** The code, if this client may exchange it with this address. A code that was used has been stolen, or its thief has used it. */
export const decideCode = (
  found: FoundCode | undefined,
  asked: { readonly client: OAuthClientId; readonly redirectUri: string },
  now: DateTime.Utc
): Result.Result<FoundCode, CodeRefusal> => {
  if (found === undefined || found.clientId !== asked.client || found.redirectUri !== asked.redirectUri) {
    return Result.fail("unknown")
  }
  if (found.isUsed) return Result.fail("used")
  return DateTime.isLessThanOrEqualTo(found.expiresAt, now) ? Result.fail("expired") : Result.succeed(found)
}
