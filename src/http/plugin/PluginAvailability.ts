import { Effect, Layer } from "effect"
import { PluginsDisabled } from "../../domain/plugin/PluginRefusal.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { PluginOperation } from "../contract/PluginOperation.ts"

/** Lets operations on plugins run where plugins are switched on. */
export const layer = Layer.effect(
  PluginOperation,
  Effect.map(Deployment, ({ pluginsEnabled }) =>
    PluginOperation.of((handler) => (pluginsEnabled ? handler : Effect.fail(new PluginsDisabled())))
  )
)
