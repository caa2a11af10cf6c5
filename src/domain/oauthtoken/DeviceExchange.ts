/** Tokens for a device about which somebody has decided (RFC 8628, 3.4 and 3.5). */
import { DateTime, Effect, Option, Redacted, Result } from "effect"
import { checkOnDevices } from "../oauthdevice/DeviceClient.ts"
import { decidePoll, type PollRefusal, slowed } from "../oauthdevice/DeviceRules.ts"
import { DeviceStore, type FoundDevice } from "../oauthdevice/DeviceStore.ts"
import { ClientAuthentication } from "../oauthgrant/ClientAuthentication.ts"
import { Grants } from "../oauthgrant/Grants.ts"
import { accountUnusable, invalidGrant, missing } from "../oauthgrant/Refusals.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import type { OAuthClientId } from "../shared/Id.ts"
import { OAuthError } from "../shared/OAuthError.ts"
import { isToken } from "../shared/TokenForm.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { Transaction } from "../storage/Transaction.ts"
import type { TokenRequest } from "./TokenRequest.ts"

const unusable = invalidGrant("The device code is unknown or was used before")

const refusals: Readonly<Record<PollRefusal, OAuthError>> = {
  unknown: unusable,
  consumed: unusable,
  expired: new OAuthError({ error: "expired_token", error_description: "The device code has expired" }),
  denied: new OAuthError({ error: "access_denied", error_description: "The device was denied" }),
  "too early": new OAuthError({
    error: "slow_down",
    error_description: "The device has to wait five seconds longer each time from now on"
  }),
  pending: new OAuthError({
    error: "authorization_pending",
    error_description: "Nobody has decided about the device yet"
  })
}

export const makeDeviceExchange = Effect.gen(function* () {
  const clients = yield* ClientAuthentication
  const store = yield* DeviceStore
  const grants = yield* Grants
  const transaction = yield* Transaction
  const tokens = yield* makeTokens

  const note = (device: FoundDevice | undefined, refusal: PollRefusal, now: DateTime.Utc) => {
    if (device === undefined) return Effect.void
    if (refusal === "too early") return store.notePoll(device.id, now, slowed(device.pollSeconds))
    return refusal === "pending" ? store.notePoll(device.id, now, device.pollSeconds) : Effect.void
  }

  /** The device with this code, if it is approved. Those that ask at the same moment do so one after the other. */
  const poll = (hash: Uint8Array, client: OAuthClientId, now: DateTime.Utc) =>
    transaction(
      Effect.gen(function* () {
        const found = Option.getOrUndefined(yield* store.findByHashForUpdate(hash))
        const decided = decidePoll(found, client, now)
        if (Result.isFailure(decided)) yield* note(found, decided.failure, now)
        return decided
      })
    )

  /** Uses an approval up. */
  const useUp = Effect.fnUntraced(function* (device: FoundDevice, at: DateTime.Utc) {
    if (!(yield* store.consume(device.id, at))) return yield* unusable
  })

  return Effect.fn("TokenEndpoint.device")(function* (request: TokenRequest, from: ClientNetwork) {
    if (request.deviceCode === undefined) return yield* missing("device_code")
    const client = yield* clients.find(request.client, from)
    yield* checkOnDevices(client)
    const code = Redacted.value(request.deviceCode)
    if (!isToken(code)) return yield* unusable
    const now = yield* DateTime.now
    const polled = yield* poll(yield* tokens.hash(code), client.shown.id, now)
    if (Result.isFailure(polled)) return yield* refusals[polled.failure]
    const device = polled.success
    if (device.claimedBy === undefined) return yield* accountUnusable
    const subject = yield* grants.getSubject(device.claimedBy)
    return yield* grants.begin({ client, subject, scopes: device.scopes }, () => useUp(device, now))
  })
})
