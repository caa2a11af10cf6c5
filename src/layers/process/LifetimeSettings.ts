/** Reads how long tokens of OAuth, and what leads to them, are valid. */
import { Effect } from "effect"
import type { Lifetimes } from "../../domain/settings/OAuthLifetimes.ts"
import { readLifetime } from "./KeySettings.ts"
import { setting } from "./Setting.ts"

const minute = 60
const hour = 60 * minute

const lifetime = (name: string, range: string, fewest: number, most: number) =>
  setting(name, `a time from ${range}, like 90s, 15m or 1h`, readLifetime(fewest, most))

/** How long an access token is valid, in seconds. */
export const readAccessTokenSeconds = Effect.map(
  lifetime("OAUTH_ACCESS_TOKEN_TTL", "1m to 24h", minute, 24 * hour),
  (seconds = 15 * minute) => seconds
)

export const readLifetimes = Effect.gen(function* () {
  const refreshToken = yield* lifetime("OAUTH_REFRESH_TOKEN_TTL", "1h to 8760h", hour, 8760 * hour)
  const authorisationCode = yield* lifetime("OAUTH_AUTHORIZATION_CODE_TTL", "10s to 10m", 10, 10 * minute)
  const deviceCode = yield* lifetime("OAUTH_DEVICE_CODE_TTL", "1m to 1h", minute, hour)
  const devicePoll = yield* lifetime("OAUTH_DEVICE_POLL_EVERY", "1s to 60s", 1, minute)
  return {
    refreshToken: refreshToken ?? 720 * hour,
    authorisationCode: authorisationCode ?? minute,
    deviceCode: deviceCode ?? 10 * minute,
    devicePoll: devicePoll ?? 5
  } satisfies Lifetimes
})
