/** The settings that administrators change while the service runs; a deployment chooses others when it starts. */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { Transaction } from "../shared/Transaction.ts"
import { type GeneralSettings, generalDefaults } from "./GeneralSetting.ts"
import { type ModerationSettings, moderationDefaults } from "./ModerationSetting.ts"
import { type SettingsParts, SettingsStore, type StoredPart } from "./SettingsStore.ts"

/** How long settings are used before they are read again: so soon a change takes effect on all instances. */
const keptMillis = 1_000

export interface Settings {
  readonly general: GeneralSettings
  readonly moderation: ModerationSettings
}

/** What to keep of each part instead of what is stored; absent parts stay as they are. */
export type SettingsChange = Partial<SettingsParts>

interface Kept {
  readonly settings: Settings
  readonly versions: { readonly [P in keyof Settings]: string }
  readonly at: number
}

const make = Effect.gen(function* () {
  const store = yield* SettingsStore
  const transaction = yield* Transaction
  let kept: Kept | undefined

  /** The same object as long as nothing changes: what is made of it stays good. */
  const partOf = <P extends keyof Settings>(
    name: P,
    { value, version }: StoredPart<SettingsParts[P]>,
    defaults: Settings[P]
  ): Settings[P] => (kept?.versions[name] === version ? kept.settings[name] : { ...defaults, ...value })

  const read = (at: number) =>
    Effect.map(store.all, ({ general, moderation }) => {
      const settings: Settings = {
        general: partOf("general", general, generalDefaults),
        moderation: partOf("moderation", moderation, moderationDefaults)
      }
      kept = { settings, versions: { general: general.version, moderation: moderation.version }, at }
      return settings
    })

  const current: Effect.Effect<Settings> = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    kept !== undefined && now >= kept.at && now < kept.at + keptMillis
      ? Effect.succeed(kept.settings)
      : read(now)
  )

  const general = Effect.map(current, ({ general }) => general)
  const moderation = Effect.map(current, ({ moderation }) => moderation)

  /** Changes parts of them, decided by what they are. On this instance it takes effect at once. */
  const change = Effect.fn("InstanceSettings.change")(function* <E, R>(
    decide: (stored: SettingsParts) => Effect.Effect<SettingsChange, E, R>
  ) {
    const changing = Effect.gen(function* () {
      const { general, moderation } = yield* decide(yield* store.allForUpdate)
      const at = yield* DateTime.now
      if (general !== undefined) yield* store.save("general", general, at)
      if (moderation !== undefined) yield* store.save("moderation", moderation, at)
    })
    yield* transaction(changing)
    kept = undefined
    return yield* current
  })

  yield* current
  return { general, moderation, change } as const
})

export class InstanceSettings extends Context.Service<InstanceSettings, Effect.Success<typeof make>>()(
  "forum/domain/InstanceSettings"
) {
  static readonly layer = Layer.effect(InstanceSettings, make)
}
