/** Configurations for plugins that are connected to other instances, until they have answered. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, PluginId } from "../shared/Id.ts"
import type { ConfigurationAnswer } from "./ConfigurationAnswer.ts"

/** A configuration that an administrator has chosen. */
export interface AskedConfiguration {
  readonly id: string
  readonly pluginId: PluginId
  readonly askedBy: AccountId
  readonly configuration: JsonObject
}

/** How it stands with a configuration that was asked about. */
export interface AskedStanding {
  readonly answer: ConfigurationAnswer | undefined
  /** Whether the instance is there that asks the plugin, or will. */
  readonly isHeld: boolean
}

export class AskedConfigurationStore extends Context.Service<
  AskedConfigurationStore,
  {
    /** Asks about a configuration; false as long as its plugin is asked about another one. */
    readonly ask: (
      asked: AskedConfiguration,
      until: DateTime.Utc,
      now: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Takes all that plugins of an instance are to be asked. Each is taken once. */
    readonly take: (holder: string, now: DateTime.Utc) => Effect.Effect<ReadonlyArray<AskedConfiguration>>
    /** Says what the plugin has answered; false if nobody waits for it any more. */
    readonly answer: (id: string, answer: ConfigurationAnswer) => Effect.Effect<boolean>
    /** Nothing if it is gone with its plugin. */
    readonly find: (id: string, now: DateTime.Utc) => Effect.Effect<Option.Option<AskedStanding>>
    readonly forget: (id: string) => Effect.Effect<void>
    /** Forgets those whose instance has died. */
    readonly forgetAbandoned: (now: DateTime.Utc) => Effect.Effect<void>
  }
>()("forum/domain/AskedConfigurationStore") {}
