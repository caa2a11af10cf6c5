import { DateTime, Effect, Redacted, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PluginActivation } from "../../domain/plugin/PluginActivation.ts"
import { PluginPackages } from "../../domain/plugin/PluginPackages.ts"
import { Plugins } from "../../domain/plugin/Plugins.ts"
import { ForumApi } from "../Api.ts"
import { StreamedBodies } from "../bytes/StreamedBodies.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { waitingLong } from "../pipeline/LongWait.ts"

export const layer = group(
  ForumApi,
  "plugins",
  Effect.fnUntraced(function* (handlers) {
    const plugins = yield* Plugins
    const packages = yield* PluginPackages
    const activation = yield* PluginActivation
    const bodies = yield* StreamedBodies

    const download = Effect.fnUntraced(function* (id: string) {
      const { bytes, name, size } = yield* packages.open(id)
      return HttpServerResponse.stream(bytes, {
        contentType: "application/zip",
        contentLength: size,
        // The id in a manifest consists of letters, digits and hyphens.
        headers: { "content-disposition": `attachment; filename=${name}.zip` }
      })
    })

    const updatePackage = Effect.fnUntraced(function* (
      id: string,
      request: HttpServerRequest.HttpServerRequest
    ) {
      const since = yield* DateTime.now
      const updated = yield* packages.update(id, bodies.of(request))
      return yield* waitingLong(activation.renewed(updated, since))
    })

    return handlers
      .handle("list", () => Effect.map(plugins.list(), (plugins) => ({ plugins })))
      .handle("add", ({ payload, request }) => {
        // Bytes arrive in their turn, and at a pace.
        if (Stream.isStream(payload)) return packages.add(bodies.of(request))
        return payload.mode === "supervised"
          ? packages.addFrom(payload.url)
          : plugins.addExternal(payload.manifest)
      })
      .handle("get", ({ params }) => plugins.get(params.plugin_instance_id))
      .handle("delete", ({ params }) => waitingLong(plugins.remove(params.plugin_instance_id)))
      .handle("cycleToken", ({ params }) =>
        Effect.map(plugins.cycleToken(params.plugin_instance_id), (token) => ({
          token: Redacted.value(token)
        }))
      )
      .handle("updateManifest", ({ params, payload }) =>
        plugins.updateManifest(params.plugin_instance_id, payload)
      )
      .handle("downloadPackage", ({ params }) => download(params.plugin_instance_id))
      .handle("updatePackage", ({ params, request }) => updatePackage(params.plugin_instance_id, request))
      .handle("getConfigurationSchema", ({ params }) =>
        plugins.configurationSchema(params.plugin_instance_id)
      )
      .handle("getConfiguration", ({ params }) => plugins.configuration(params.plugin_instance_id))
  })
)
