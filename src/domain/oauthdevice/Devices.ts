/** Devices that begin, and those that wait. */
import { Context, DateTime, Effect, Layer, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { decideDevice } from "../oauthclient/Scopes.ts"
import { ClientAuthentication, noSuchClient, scopedClient } from "../oauthgrant/ClientAuthentication.ts"
import { disabled } from "../oauthgrant/Grantable.ts"
import { invalidScope } from "../oauthgrant/Refusals.ts"
import { addressOf, Deployment } from "../settings/Deployment.ts"
import { OAuthAddresses } from "../settings/OAuthAddresses.ts"
import { OAuthLifetimes } from "../settings/OAuthLifetimes.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { OAuthDeviceId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { OAuthError } from "../shared/OAuthError.ts"
import { secondsUntil } from "../shared/Seconds.ts"
import { makeTokens } from "../shared/Tokens.ts"
import { DevicesFull, devicesMax, TooManyDevices } from "./DeviceAuthorisation.ts"
import { checkOnDevices } from "./DeviceClient.ts"
import { guessWindow } from "./DeviceRules.ts"
import { DeviceStore, type NewDevice } from "./DeviceStore.ts"
import { showUserCode, type UserCode, userCodeBytes, userCodeOf } from "./UserCode.ts"

/** How often another code is made where a device has the first one already. */
const triesMax = 5

const noCode = new OAuthError({
  error: "temporarily_unavailable",
  error_description: "No code could be made; try again"
})

/** What a device is given. Its own code is shown this once. */
export interface StartedDevice {
  readonly deviceCode: Redacted.Redacted
  readonly userCode: string
  readonly address: string
  readonly addressWithCode: string
  readonly expiresIn: number
  readonly interval: number
}

const make = Effect.gen(function* () {
  const { oauthEnabled } = yield* Deployment
  const { deviceConsent } = yield* OAuthAddresses
  const lifetimes = yield* OAuthLifetimes
  const clients = yield* ClientAuthentication
  const store = yield* DeviceStore
  const random = yield* SecureRandom.SecureRandom
  const ids = yield* Ids
  const tokens = yield* makeTokens

  const addressWith = (code: UserCode) => {
    const address = new URL(deviceConsent)
    address.searchParams.set("user_code", showUserCode(code))
    return address.href
  }

  const waitFor = (at: DateTime.Utc, network?: ClientNetwork) =>
    Effect.map(store.findNextExpiry(at, network), (expiry) =>
      secondsUntil(
        Option.getOrElse(expiry, () => at),
        at
      )
    )

  const networkFull = Effect.fnUntraced(function* ({ at, network }: Omit<NewDevice, "userCode">) {
    const retry_after = yield* waitFor(at, network)
    return yield* new TooManyDevices({ metadata: { retry_after, maximum: devicesMax.network } })
  })

  const full = Effect.fnUntraced(function* ({ at }: Omit<NewDevice, "userCode">) {
    const retry_after = yield* waitFor(at)
    return yield* new DevicesFull({ metadata: { retry_after, maximum: devicesMax.all } })
  })

  /** Keeps a device under a code that no other has. */
  const keep = Effect.fnUntraced(function* (device: Omit<NewDevice, "userCode">) {
    for (let tries = 0; tries < triesMax; tries++) {
      const userCode = userCodeOf(yield* random.randomBytes(userCodeBytes))
      const kept = yield* store.insert({ ...device, userCode })
      if (kept === "kept") return userCode
      if (kept === "network full") return yield* networkFull(device)
      if (kept === "full") return yield* full(device)
      if (kept === "client gone") return yield* noSuchClient
    }
    return yield* noCode
  })

  /** Lets a device wait for somebody's decision. */
  const start = Effect.fn("Devices.start")(function* (
    asked: { readonly clientId: string | undefined; readonly scope: string | undefined },
    network: ClientNetwork
  ) {
    if (!oauthEnabled) return yield* disabled
    if (asked.clientId === undefined) return yield* noSuchClient
    const client = yield* clients.getNamed(asked.clientId, network)
    yield* checkOnDevices(client)
    const scopes = decideDevice(asked.scope, scopedClient(client))
    if (Result.isFailure(scopes)) return yield* invalidScope(scopes.failure)
    const at = yield* DateTime.now
    yield* store.removeSomeExpired(at)
    const deviceCode = yield* tokens.make
    const { devicePoll, deviceCode: seconds } = lifetimes
    const userCode = yield* keep({
      id: OAuthDeviceId.make(yield* ids.next),
      clientId: client.shown.id,
      deviceHash: yield* tokens.hash(deviceCode),
      scopes: scopes.success,
      network,
      pollSeconds: devicePoll,
      at,
      expiresAt: DateTime.add(at, { seconds })
    })
    return {
      deviceCode: Redacted.make(deviceCode),
      userCode: showUserCode(userCode),
      address: addressOf(deviceConsent),
      addressWithCode: addressWith(userCode),
      expiresIn: seconds,
      interval: devicePoll
    } satisfies StartedDevice
  })

  /** Forgets devices whose codes have expired, and wrong codes that count no more. */
  const forgetOld = Effect.flatMap(DateTime.now, (now) =>
    Effect.andThen(store.removeExpired(now), store.forgetGuesses(DateTime.subtractDuration(now, guessWindow)))
  )

  return { start, list: () => store.list, forgetOld } as const
})

export class Devices extends Context.Service<Devices, Effect.Success<typeof make>>()("forum/domain/Devices") {
  static readonly layer = Layer.effect(Devices, make).pipe(Layer.provide(ClientAuthentication.layer))
}
