/** What becomes of a refresh token that is presented. Pure. */
import { DateTime, Result } from "effect"
import type { OAuthClientId } from "../shared/Id.ts"
import type { FoundRefresh } from "./GrantStore.ts"

/** Why a refresh token is refused. */
export type RefreshRefusal = "unknown" | "reused" | "ended" | "expired" | "suspended"

/**
 * The token, if the client may use it. A token that was replaced has been stolen, or its thief has replaced it, even if
 * it has expired since (RFC 9700, 4.14.2).
 */
export const decidePresented = (
  found: FoundRefresh | undefined,
  client: OAuthClientId,
  now: DateTime.Utc
): Result.Result<FoundRefresh, RefreshRefusal> => {
  if (found === undefined || found.clientId !== client) return Result.fail("unknown")
  if (found.isEnded) return Result.fail("ended")
  if (found.isSpent) return Result.fail("reused")
  if (DateTime.isLessThanOrEqualTo(found.expiresAt, now)) return Result.fail("expired")
  return found.subject.suspended ? Result.fail("suspended") : Result.succeed(found)
}
