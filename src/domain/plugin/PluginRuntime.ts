/** What a deployment chooses for the plugins that it runs. */
import { Context, type Effect } from "effect"
import type { PluginId } from "../shared/Id.ts"
import type { PluginLaunchFailed, PluginLimits } from "./PluginProcesses.ts"
import type { PluginPackage } from "./PluginStore.ts"
import { type RestartPolicy, usualPolicy } from "./SupervisionRules.ts"

export const usualLimits: PluginLimits = {
  memoryMegabytes: 256,
  diskMegabytes: 256,
  processes: 64,
  openFiles: 256,
  fileMegabytes: 64
}

export interface PluginRuntimeSettings {
  readonly policy: RestartPolicy
  readonly limits: PluginLimits
}

export const PluginRuntimeSettings = Context.Reference<PluginRuntimeSettings>(
  "forum/domain/PluginRuntimeSettings",
  { defaultValue: () => ({ policy: usualPolicy, limits: usualLimits }) }
)

/** Where processes of plugins reach this instance: a port of this machine, and the address at which it listens. */
export class PluginPort extends Context.Service<
  PluginPort,
  {
    readonly port: number
    /** Absent if the service listens at 127.0.0.1, or at all addresses. */
    readonly host?: string
  }
>()("forum/domain/PluginPort") {}

/** The address of the machine at which processes of plugins find the service, whatever else they reach. */
export const localHost = "127.0.0.1"

/** The directories in which plugins are unpacked and work. */
export class PluginDirectories extends Context.Service<
  PluginDirectories,
  {
    /** Unpacks the archive of a plugin, if it is not unpacked already, and answers where. */
    readonly prepare: (id: PluginId, archive: PluginPackage) => Effect.Effect<string, PluginLaunchFailed>
    readonly remove: (id: PluginId) => Effect.Effect<void>
    /** Removes what is left of all plugins but these, which are asked for once it is known what is there. */
    readonly removeOthers: (ids: Effect.Effect<ReadonlyArray<PluginId>>) => Effect.Effect<void>
  }
>()("forum/domain/PluginDirectories") {}
