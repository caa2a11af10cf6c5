/** The settings that administrators change, changed beside the API. */
import { Effect } from "effect"
import { InstanceSettings } from "../../src/domain/settings/InstanceSettings.ts"
import type { ModerationChanges } from "../../src/domain/settings/ModerationSetting.ts"
import type { SettingsParts } from "../../src/domain/settings/SettingsStore.ts"

/** Answers the settings of moderation as they are then. */
export const changeModeration = (changes: ModerationChanges) => {
  const merged = ({ moderation }: SettingsParts) =>
    Effect.succeed({ moderation: { ...moderation, ...changes } })
  return InstanceSettings.use(({ change }) => Effect.map(change(merged), ({ moderation }) => moderation))
}
