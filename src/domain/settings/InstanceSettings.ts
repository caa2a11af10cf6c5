/** The settings that administrators change while the service runs; a deployment chooses others when it starts. */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { Transaction } from "../shared/Transaction.ts"
import { type ModerationChanges, type ModerationSettings, moderationDefaults } from "./ModerationSettings.ts"
import { SettingsStore } from "./SettingsStore.ts"

/** How long settings are used before they are read again: so soon a change takes effect on all instances. */
const keptMillis = 1_000

interface Kept {
  readonly settings: ModerationSettings
  readonly version: string
  readonly at: number
}

const make = Effect.gen(function* () {
  const store = yield* SettingsStore
  const transaction = yield* Transaction
  let kept: Kept | undefined

  const read = (at: number) =>
    Effect.map(store.moderation, ({ value, version }) => {
      // The same object as long as nothing changes: what is made of it stays good.
      const settings = kept?.version === version ? kept.settings : { ...moderationDefaults, ...value }
      kept = { settings, version, at }
      return settings
    })

  const moderation: Effect.Effect<ModerationSettings> = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    kept !== undefined && now >= kept.at && now < kept.at + keptMillis
      ? Effect.succeed(kept.settings)
      : read(now)
  )

  /** Changes some of them. On this instance it takes effect at once. */
  const changeModeration = Effect.fn("InstanceSettings.changeModeration")(function* (
    changes: ModerationChanges
  ) {
    const change = Effect.gen(function* () {
      const { value } = yield* store.moderationForUpdate
      yield* store.saveModeration({ ...value, ...changes }, yield* DateTime.now)
    })
    yield* transaction(change)
    kept = undefined
    return yield* moderation
  })

  yield* moderation
  return { moderation, changeModeration } as const
})

export class InstanceSettings extends Context.Service<InstanceSettings, Effect.Success<typeof make>>()(
  "forum/domain/InstanceSettings"
) {
  static readonly layer = Layer.effect(InstanceSettings, make)
}
