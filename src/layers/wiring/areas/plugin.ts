import { Layer } from "effect"
import { PluginPackages } from "../../../domain/plugin/PluginPackages.ts"
import { PluginSignals } from "../../../domain/plugin/PluginSignals.ts"
import { Plugins } from "../../../domain/plugin/Plugins.ts"
import * as PluginsHandlers from "../../../http/plugin/PluginsHandlers.ts"
import * as PluginStoreSql from "../../../persistence/plugin/PluginStoreSql.ts"
import * as ZipArchives from "../../adapters/plugins/archives/ZipArchives.ts"
import { type Area, empty } from "./Area.ts"

/** Programs that extend the service. */
export const plugin = {
  ...empty,
  // Who changes a plugin tells whoever runs it.
  stores: Layer.mergeAll(PluginStoreSql.layer, PluginSignals.layer, ZipArchives.layer),
  services: Layer.merge(Plugins.layer, PluginPackages.layer),
  handlers: PluginsHandlers.layer
} satisfies Area
