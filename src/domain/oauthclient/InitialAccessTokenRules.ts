/** When an initial access token expires. Pure. */
import { DateTime, Duration, Result } from "effect"
import { daysMax, type ExpiryRule, InitialAccessTokenExpiryInvalid } from "./InitialAccessToken.ts"

const refused = (rule: ExpiryRule) => Result.fail(new InitialAccessTokenExpiryInvalid({ metadata: { rule } }))

/** When a token expires that is asked for now, by an instant or by seconds. */
export const decideExpiry = (
  now: DateTime.Utc,
  at: DateTime.Utc | undefined,
  seconds: number | undefined
): Result.Result<DateTime.Utc, InitialAccessTokenExpiryInvalid> => {
  if (at !== undefined && seconds !== undefined) return refused("twice")
  const end = seconds === undefined ? at : DateTime.addDuration(now, Duration.seconds(seconds))
  if (end === undefined) return refused("missing")
  if (DateTime.isLessThanOrEqualTo(end, now)) return refused("past")
  const latest = DateTime.addDuration(now, Duration.days(daysMax))
  return DateTime.isGreaterThan(end, latest) ? refused("too-late") : Result.succeed(end)
}
