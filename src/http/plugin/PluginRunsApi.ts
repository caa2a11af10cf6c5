import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { withExample } from "../../domain/field/Example.ts"
import { metaWithin } from "../../domain/field/Json.ts"
import { Plugin, PluginConfiguration } from "../../domain/plugin/Plugin.ts"
import { activeChange, configuration } from "../../domain/plugin/PluginExamples.ts"
import { PluginNotFound, PluginNotSupervised } from "../../domain/plugin/PluginRefusal.ts"
import {
  PluginConfigurationInvalid,
  PluginConfigurationRefused,
  PluginNotConnected,
  PluginNotSettled,
  PluginStartFailed
} from "../../domain/plugin/RunRefusal.ts"
import { operation } from "../contract/Operation.ts"
import { PluginOperation } from "../contract/PluginOperation.ts"
import { access, params } from "./PluginsApi.ts"

const ActiveChange = Schema.Struct({
  active: Schema.Literals(["active", "inactive"]).annotate({ description: "Whether it should run" })
})
  .annotate({ identifier: "PluginActiveStateMutableProps", description: "Whether a plugin should run" })
  .pipe(withExample(activeChange))

/** What administrators choose for a plugin has this many characters of JSON at most. */
const configurationMax = 64 * 1024

const NewConfiguration = metaWithin(configurationMax)
  .annotate({
    identifier: "PluginConfigurationProps",
    description: "All values for a plugin, which replace those before"
  })
  .pipe(withExample(configuration))

export class PluginRunsApi extends HttpApiGroup.make("pluginRuns")
  .add(
    HttpApiEndpoint.patch("setActive", "/:plugin_instance_id/active", {
      params,
      payload: ActiveChange,
      success: Plugin,
      error: [PluginNotFound, PluginNotSupervised, PluginStartFailed, PluginNotSettled]
    }).pipe(
      operation({
        id: "PluginSetActiveState",
        cost: "write",
        commitsEarly: true,
        summary: "Let a supervised plugin run, or not",
        description:
          "Waits until it is connected, up to five minutes, or until it has ended. What was asked for stays, also when the plugin could not be started: the instance tries it again when it starts itself.",
        access
      })
    ),
    HttpApiEndpoint.get("logs", "/:plugin_instance_id/logs", {
      params,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }),
      error: [PluginNotFound, PluginNotSupervised]
    }).pipe(
      operation({
        id: "PluginGetLogs",
        cost: "quick",
        summary: "Follow what a supervised plugin writes",
        description:
          "What is kept of its output, oldest first, and then each line as it is written, as server-sent events until you leave. Of several instances each has what was written there.",
        access
      })
    ),
    HttpApiEndpoint.patch("configure", "/:plugin_instance_id/configuration", {
      params,
      payload: NewConfiguration,
      success: PluginConfiguration,
      error: [PluginNotFound, PluginConfigurationInvalid, PluginNotConnected, PluginConfigurationRefused]
    }).pipe(
      operation({
        id: "PluginUpdateConfiguration",
        cost: "write",
        commitsEarly: true,
        summary: "Choose the values of a plugin",
        description:
          "All of them: those that are left out have none any more. The plugin is connected, and is asked whether it takes them, for up to 30 seconds; they are stored only if it does. Values that its manifest does not name may be any.",
        access
      })
    )
  )
  .middleware(PluginOperation)
  .prefix("/plugins")
  .annotateMerge(
    OpenApi.annotations({ title: "running plugins", description: "Plugins that run, and what they are told" })
  ) {}
