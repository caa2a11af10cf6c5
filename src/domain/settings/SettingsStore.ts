/** What the settings need from storage: what differs from the defaults. */
import { Context, type DateTime, type Effect } from "effect"
import type { ModerationChanges } from "./ModerationSettings.ts"

export interface StoredModeration {
  readonly value: ModerationChanges
  /** Changes whenever the value does. */
  readonly version: string
}

export class SettingsStore extends Context.Service<
  SettingsStore,
  {
    readonly moderation: Effect.Effect<StoredModeration>
    /** The same, locked until the transaction ends. */
    readonly moderationForUpdate: Effect.Effect<StoredModeration>
    readonly saveModeration: (value: ModerationChanges, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/SettingsStore") {}
