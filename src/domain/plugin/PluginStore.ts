/** What is known of plugins; their archives are elsewhere. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { FileLocation } from "../asset/AssetBytes.ts"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, PluginId, RoleId } from "../shared/Id.ts"
import type { TooManyPlugins } from "./Plugin.ts"
import type { PluginManifest } from "./PluginManifest.ts"
import type { PluginState } from "./PluginState.ts"

/** The archive of a supervised plugin. */
export interface PluginPackage {
  readonly place: FileLocation
  /** In bytes. */
  readonly size: number
  /** The SHA-256 of its bytes. */
  readonly hash: Uint8Array
}

/** Who runs a plugin, and until when no other instance does. */
export interface PluginLease {
  /** The instance, by a name that no other has. */
  readonly holder: string
  readonly until: DateTime.Utc
}

interface PluginFacts {
  readonly id: PluginId
  readonly addedAt: DateTime.Utc
  readonly manifest: PluginManifest
}

/** What differs between plugins that the service runs and those that connect from elsewhere. */
export type PluginConnection =
  | { readonly mode: "supervised"; readonly package: PluginPackage }
  | { readonly mode: "external"; readonly sealedToken: Uint8Array; readonly tokenHash: Uint8Array }

export interface NewPlugin extends PluginFacts {
  readonly connection: PluginConnection
}

interface PluginStanding extends PluginFacts {
  readonly connection: PluginConnection
  /** Whether an administrator wants it to run, or lets it connect. */
  readonly isWanted: boolean
  /** Another one whenever whoever runs it has to look. */
  readonly revision: number
  readonly state: PluginState
  readonly lease: PluginLease | undefined
  /** The bot that it acts as, once it has asked for it, and the role of that. */
  readonly accountId: AccountId | undefined
  readonly roleId: RoleId | undefined
}

export interface StoredPlugin extends PluginStanding {
  readonly configuration: JsonObject
}

/** A plugin in a list, with the fields of its manifest that did not fit into that and are not there. */
export interface ListedPlugin extends PluginStanding {
  readonly omitted: ReadonlyArray<string>
}

/** What an instance sees of each plugin that it has, again and again: little, as manifests are large. */
export interface HeldPlugin {
  readonly id: PluginId
  readonly mode: PluginConnection["mode"]
  readonly revision: number
  /** Whether it is to be asked about a configuration. */
  readonly isAsked: boolean
}

export class PluginStore extends Context.Service<
  PluginStore,
  {
    /**
     * All plugins, newest first. From the first on whose manifest does not fit into so many bytes beside those before it,
     * manifests have what they need to have and no more.
     */
    readonly list: (room: number) => Effect.Effect<ReadonlyArray<ListedPlugin>>
    readonly ids: Effect.Effect<ReadonlyArray<PluginId>>
    readonly find: (id: PluginId) => Effect.Effect<Option.Option<StoredPlugin>>
    /** What administrators have chosen for a plugin. */
    readonly findConfiguration: (id: PluginId) => Effect.Effect<Option.Option<JsonObject>>
    readonly findForUpdate: (id: PluginId) => Effect.Effect<Option.Option<StoredPlugin>>
    /** The external plugin that has this token. */
    readonly findByTokenHash: (hash: Uint8Array) => Effect.Effect<Option.Option<StoredPlugin>>
    readonly insert: (plugin: NewPlugin) => Effect.Effect<StoredPlugin, TooManyPlugins>
    readonly remove: (id: PluginId) => Effect.Effect<void>
    /**
     * Says whether a supervised plugin is wanted. One that nobody runs and that is not wanted is inactive at once; so is
     * one that was given up and is wanted again, until an instance takes it.
     */
    readonly want: (id: PluginId, isWanted: boolean, at: DateTime.Utc) => Effect.Effect<StoredPlugin>
    readonly setManifest: (id: PluginId, manifest: PluginManifest) => Effect.Effect<StoredPlugin>
    readonly setToken: (id: PluginId, sealedToken: Uint8Array, tokenHash: Uint8Array) => Effect.Effect<void>
    readonly setPackage: (
      id: PluginId,
      manifest: PluginManifest,
      archive: PluginPackage
    ) => Effect.Effect<StoredPlugin>
    readonly setConfiguration: (id: PluginId, configuration: JsonObject) => Effect.Effect<void>
    readonly setBot: (id: PluginId, accountId: AccountId, roleId: RoleId) => Effect.Effect<void>

    /**
     * Takes the lease of a plugin for an instance, unless another one has it, or it is not wanted. Answers the plugin if
     * the instance has the lease now.
     */
    readonly takeLease: (
      id: PluginId,
      lease: PluginLease,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<StoredPlugin>>
    /**
     * Takes every lease of a supervised plugin that is wanted and that no instance runs; of those that were given up
     * only if it is said.
     */
    readonly takeFreeLeases: (
      lease: PluginLease,
      now: DateTime.Utc,
      withFailed: boolean
    ) => Effect.Effect<ReadonlyArray<StoredPlugin>>
    /** Whether there is any supervised plugin that is wanted, whoever runs it. */
    readonly isAnyWanted: Effect.Effect<boolean>
    /** Extends all leases that an instance has, and answers what of their plugins says whether it has to look. */
    readonly renewLeases: (lease: PluginLease, now: DateTime.Utc) => Effect.Effect<ReadonlyArray<HeldPlugin>>
    /** Says what became of a plugin, and gives its lease back if it runs no more; false if another one has it. */
    readonly setState: (
      id: PluginId,
      holder: string,
      state: PluginState,
      keepsLease: boolean
    ) => Effect.Effect<boolean>
    /** Notes the secret with which the process of a plugin may connect once, by its SHA-256, or that none may. */
    readonly setEntry: (id: PluginId, holder: string, hash: Uint8Array | undefined) => Effect.Effect<boolean>
    /** Uses the secret of a process up; false if it is another one, or was used. */
    readonly useEntry: (id: PluginId, hash: Uint8Array) => Effect.Effect<boolean>
  }
>()("forum/domain/PluginStore") {}
