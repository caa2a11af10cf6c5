import { Duration, Effect, Layer } from "effect"
import { PluginActivation } from "../../../domain/plugin/PluginActivation.ts"
import { PluginConfigurations } from "../../../domain/plugin/PluginConfigurations.ts"
import { PluginDoor } from "../../../domain/plugin/PluginDoor.ts"
import { PluginKeeper } from "../../../domain/plugin/PluginKeeper.ts"
import { PluginLogs } from "../../../domain/plugin/PluginLogs.ts"
import { PluginOutput } from "../../../domain/plugin/PluginOutput.ts"
import { PluginPackages } from "../../../domain/plugin/PluginPackages.ts"
import { PluginSignals } from "../../../domain/plugin/PluginSignals.ts"
import { Plugins } from "../../../domain/plugin/Plugins.ts"
import { Deployment } from "../../../domain/settings/Deployment.ts"
import * as PluginRunsHandlers from "../../../http/plugin/PluginRunsHandlers.ts"
import * as PluginsHandlers from "../../../http/plugin/PluginsHandlers.ts"
import * as AskedConfigurationStoreSql from "../../../persistence/plugin/AskedConfigurationStoreSql.ts"
import * as PluginStoreSql from "../../../persistence/plugin/PluginStoreSql.ts"
import * as ZipArchives from "../../adapters/plugins/archives/ZipArchives.ts"
import * as LocalPluginDirectories from "../../adapters/plugins/LocalPluginDirectories.ts"
import * as PluginPortOfServer from "../../process/PluginPortOfServer.ts"
import { type Area, empty } from "./Area.ts"
import { feed } from "./change.ts"

const administration = Layer.mergeAll(
  Plugins.layer.pipe(Layer.provide(LocalPluginDirectories.layer)),
  PluginPackages.layer,
  PluginActivation.layer,
  PluginConfigurations.layer,
  PluginOutput.layer
)

const running = Layer.mergeAll(
  PluginDoor.layer.pipe(Layer.provide(Layer.merge(feed, PluginPortOfServer.layer))),
  PluginKeeper.layer.pipe(Layer.provide(Layer.merge(LocalPluginDirectories.layer, PluginPortOfServer.layer)))
)

/** Programs that extend the service. */
export const plugin = {
  ...empty,
  // Who changes a plugin tells whoever runs it.
  stores: Layer.mergeAll(
    PluginStoreSql.layer,
    AskedConfigurationStoreSql.layer,
    PluginSignals.layer,
    ZipArchives.layer
  ),
  services: Layer.merge(administration, running),
  handlers: Layer.merge(PluginsHandlers.layer, PluginRunsHandlers.layer),
  chores: Effect.gen(function* () {
    const { clean } = yield* PluginKeeper
    const logs = yield* PluginLogs
    return [
      { name: "remove what is left of plugins", every: Duration.hours(1), run: clean },
      { name: "remove old logs of plugins", every: Duration.hours(24), run: logs.clean }
    ]
  }),
  workers: Effect.gen(function* () {
    const { run } = yield* PluginKeeper
    const { pluginsEnabled } = yield* Deployment
    return pluginsEnabled ? [{ name: "keep plugins", run }] : []
  })
} satisfies Area
