/** The settings that administrators change while the service runs; a deployment chooses others when it starts. */
import { Clock, Context, DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { AfterCommit, Transaction, UnsettledReads } from "../storage/Transaction.ts"
import { type ClientAddressSettings, clientAddressDefaults } from "./ClientAddressSetting.ts"
import { Deployment } from "./Deployment.ts"
import { type GeneralSettings, generalDefaults } from "./GeneralSetting.ts"
import { type ModerationSettings, moderationDefaults } from "./ModerationSetting.ts"
import { type RateLimitSettings, rateLimitDefaults } from "./RateLimitSetting.ts"
import { type SettingsParts, SettingsStore, type StoredPart } from "./SettingsStore.ts"

/** How long settings are used before they are read again: so soon a change takes effect on all instances. */
const keptMillis = 1_000

/** How long those wait for the storage who can go on with settings that may have changed. */
const patience = "100 millis"

/** All settings that hold now: what administrators have changed, and the defaults of the rest. */
export interface CurrentSettings {
  readonly general: GeneralSettings
  readonly moderation: ModerationSettings
  readonly rate_limiting: RateLimitSettings
  readonly client_ip: ClientAddressSettings
}

/** What to keep of each part instead of what is stored; absent parts stay as they are. */
export type SettingsChange = Partial<SettingsParts>

interface Kept {
  readonly settings: CurrentSettings
  readonly versions: { readonly [P in keyof CurrentSettings]: string }
  readonly at: number
}

const defaultsOf = (deployment: typeof Deployment.Service): CurrentSettings => ({
  general: generalDefaults,
  moderation: moderationDefaults,
  rate_limiting: rateLimitDefaults(deployment),
  client_ip: clientAddressDefaults(deployment)
})

const versionsOf = (stored: Effect.Success<typeof SettingsStore.Service.all>): Kept["versions"] => ({
  general: stored.general.version,
  moderation: stored.moderation.version,
  rate_limiting: stored.rate_limiting.version,
  client_ip: stored.client_ip.version
})

const isRecent = (at: number, now: number) => now >= at && now < at + keptMillis

const make = Effect.gen(function* () {
  const store = yield* SettingsStore
  const transaction = yield* Transaction
  const afterCommit = yield* AfterCommit
  const deployment = yield* Deployment
  const clock = yield* Clock.Clock
  const defaults = defaultsOf(deployment)
  // Nothing is stored under these versions, so that they are never used.
  let kept: Kept = {
    settings: defaults,
    versions: { general: "", moderation: "", rate_limiting: "", client_ip: "" },
    at: Number.NEGATIVE_INFINITY
  }

  /** A part of the settings. While nothing changes, it is the same object, so that what was made of it stays good. */
  const partOf = <P extends keyof CurrentSettings>(
    name: P,
    { value, version }: StoredPart<SettingsParts[P]>
  ): CurrentSettings[P] =>
    kept.versions[name] === version ? kept.settings[name] : { ...defaults[name], ...value }

  const read = Effect.flatMap(UnsettledReads, ({ since }) => {
    const at = clock.currentTimeMillisUnsafe()
    return Effect.map(store.all, (stored) => {
      const settings: CurrentSettings = {
        general: partOf("general", stored.general),
        moderation: partOf("moderation", stored.moderation),
        rate_limiting: partOf("rate_limiting", stored.rate_limiting),
        client_ip: partOf("client_ip", stored.client_ip)
      }
      if (since() === undefined) kept = { settings, versions: versionsOf(stored), at }
      return settings
    })
  })

  const current: Effect.Effect<CurrentSettings> = Effect.suspend(() =>
    isRecent(kept.at, clock.currentTimeMillisUnsafe()) ? Effect.succeed(kept.settings) : read
  )

  /** The settings as they are stored now, for what has to hold on all instances as soon as it is changed. */
  const fresh: Effect.Effect<CurrentSettings> = read

  const general = Effect.map(current, ({ general }) => general)
  const moderation = Effect.map(current, ({ moderation }) => moderation)

  // Before the first request, so that there are always some that were read.
  yield* read
  let asked = kept.at
  let asking: Deferred.Deferred<void> | undefined

  /** Reads the settings once for all who wait. Who waits no longer finds them later. */
  const askAgain = Effect.fnUntraced(function* (done: Deferred.Deferred<void>) {
    const reading = yield* Effect.forkDetach(read, { startImmediately: true })
    yield* Effect.timeoutOption(Fiber.await(reading), patience)
    asked = clock.currentTimeMillisUnsafe()
    asking = undefined
    Deferred.doneUnsafe(done, Effect.void)
  })

  const waitForLatest = Effect.suspend(() => {
    if (asking === undefined) {
      asking = Deferred.makeUnsafe()
      return Effect.andThen(Effect.forkDetach(askAgain(asking)), Deferred.await(asking))
    }
    return Deferred.await(asking)
  })

  /**
   * The settings for every request, before anything is known of it. They are a second old at most, unless the storage
   * does not answer: then they are the ones that were read last. It never fails, and rarely waits.
   */
  const latest: Effect.Effect<CurrentSettings> = Effect.suspend(() => {
    const now = clock.currentTimeMillisUnsafe()
    return isRecent(kept.at, now) || isRecent(asked, now)
      ? Effect.succeed(kept.settings)
      : Effect.map(waitForLatest, () => kept.settings)
  })

  const forget = Effect.sync(() => {
    kept = { ...kept, at: Number.NEGATIVE_INFINITY }
    asked = Number.NEGATIVE_INFINITY
  })

  /** Changes parts of the settings, by a decision on what is stored. On this instance the change takes effect at once. */
  const change = Effect.fn("InstanceSettings.change")(function* <E, R>(
    decide: (stored: SettingsParts) => Effect.Effect<SettingsChange, E, R>
  ) {
    const changing = Effect.gen(function* () {
      const changes = yield* decide(yield* store.allForUpdate)
      const at = yield* DateTime.now
      const save = <P extends keyof SettingsParts>(part: P, value: SettingsParts[P] | undefined) =>
        value === undefined ? Effect.void : store.save(part, value, at)
      yield* save("general", changes.general)
      yield* save("moderation", changes.moderation)
      yield* save("rate_limiting", changes.rate_limiting)
      yield* save("client_ip", changes.client_ip)
    })
    yield* transaction(changing)
    // Once it is committed, whoever asks next reads.
    yield* afterCommit(forget)
    return yield* read
  })

  return { general, moderation, current, fresh, latest, change } as const
})

export class InstanceSettings extends Context.Service<InstanceSettings, Effect.Success<typeof make>>()(
  "forum/domain/InstanceSettings"
) {
  static readonly layer = Layer.effect(InstanceSettings, make)
}
