/** Why a plugin does not run, or does not take what it is told. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"
import { pluginStates } from "./PluginState.ts"

export class PluginStartFailed extends Problem<PluginStartFailed>()("PluginStartFailed", {
  status: 502,
  title: "The plugin could not be started",
  explanation:
    "Its process ended, or did not connect, as often as it may. `detail` says how it ended last. The instance starts it again when it starts itself, or when an administrator activates it."
}) {}

export class PluginNotSettled extends Problem<PluginNotSettled>()("PluginNotSettled", {
  status: 400,
  title: "The plugin has not become what was asked for in time",
  explanation:
    "It should be `wanted` and is still `state`. It may become so later: what was asked for stays.",
  metadata: { wanted: Schema.Literals(["active", "inactive"]), state: Schema.Literals(pluginStates) }
}) {}

export class PluginNotConnected extends Problem<PluginNotConnected>()("PluginNotConnected", {
  status: 400,
  title: "The plugin is not connected",
  explanation: "A plugin has to take its configuration before it is stored, so it has to be active.",
  metadata: { plugin_instance_id: Schema.String }
}) {}

export class PluginConfigurationInvalid extends Problem<PluginConfigurationInvalid>()(
  "PluginConfigurationInvalid",
  {
    status: 400,
    title: "The configuration is not of the form that the plugin says",
    explanation: "`fields` names the values that are not of the type that the manifest of the plugin says.",
    metadata: {
      fields: Schema.Array(
        Schema.Struct({ id: Schema.String, expected: Schema.Literals(["string", "number", "boolean"]) })
      )
    }
  }
) {}

export class PluginConfigurationRefused extends Problem<PluginConfigurationRefused>()(
  "PluginConfigurationRefused",
  {
    status: 400,
    title: "The plugin does not take this configuration",
    explanation:
      "Nothing was stored. `reason` is `refused` if the plugin said so, `failed` if it could not handle it, with its own words in `message`, `late` if it has not answered within 30 seconds, and `gone` if its connection was closed meanwhile.",
    metadata: {
      reason: Schema.Literals(["refused", "failed", "late", "gone"]),
      message: Schema.optionalKey(Schema.String)
    }
  }
) {}
