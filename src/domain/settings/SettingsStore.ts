/** What the settings need from storage: what differs from the defaults. */
import { Context, type DateTime, type Effect } from "effect"
import type { StoredClientAddress } from "./ClientAddressSetting.ts"
import type { StoredGeneral } from "./GeneralSetting.ts"
import type { ModerationChanges } from "./ModerationSetting.ts"
import type { StoredRateLimit } from "./RateLimitSetting.ts"

/** The parts of the settings, each kept and versioned by itself. */
export interface SettingsParts {
  readonly general: StoredGeneral
  readonly moderation: ModerationChanges
  readonly rate_limiting: StoredRateLimit
  readonly client_ip: StoredClientAddress
}
export type SettingsPart = keyof SettingsParts

/** A part, and a version that changes whenever it does. */
export interface StoredPart<Value> {
  readonly value: Value
  readonly version: string
}

export class SettingsStore extends Context.Service<
  SettingsStore,
  {
    readonly all: Effect.Effect<{ readonly [P in SettingsPart]: StoredPart<SettingsParts[P]> }>
    /** All parts of the settings, locked until the transaction ends. */
    readonly allForUpdate: Effect.Effect<SettingsParts>
    readonly save: <P extends SettingsPart>(
      part: P,
      value: SettingsParts[P],
      at: DateTime.Utc
    ) => Effect.Effect<void>
  }
>()("forum/domain/SettingsStore") {}
