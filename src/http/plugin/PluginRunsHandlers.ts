import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { PluginActivation } from "../../domain/plugin/PluginActivation.ts"
import { PluginConfigurations } from "../../domain/plugin/PluginConfigurations.ts"
import { PluginOutput } from "../../domain/plugin/PluginOutput.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { makeLasting } from "../pipeline/LastingAnswer.ts"
import { waitingLong } from "../pipeline/LongWait.ts"

const encoder = new TextEncoder()

/** Lines as server-sent events, and one that says that there will be no more. */
const asEvents = (lines: Stream.Stream<string>): Stream.Stream<Uint8Array> =>
  Stream.map(lines, (line) => encoder.encode(`data: ${line.replaceAll("\r", "")}\n\n`)).pipe(
    Stream.concat(Stream.succeed(encoder.encode("event: end\ndata:\n\n")))
  )

export const layer = group(
  ForumApi,
  "pluginRuns",
  Effect.fnUntraced(function* (handlers) {
    const activation = yield* PluginActivation
    const configurations = yield* PluginConfigurations
    const output = yield* PluginOutput

    const lasting = yield* makeLasting

    const logs = (id: string, answered: Parameters<typeof lasting>[0]) =>
      Effect.map(output.follow(id), (lines) =>
        HttpServerResponse.stream(lasting(answered, asEvents(lines)), { contentType: "text/event-stream" })
      )

    return handlers
      .handle("setActive", ({ params: { plugin_instance_id: id }, payload: { active } }) =>
        waitingLong(active === "active" ? activation.activate(id) : activation.deactivate(id))
      )
      .handle("logs", ({ endpoint, params, request }) =>
        logs(params.plugin_instance_id, { endpoint, request })
      )
      .handle("configure", ({ params, payload }) =>
        waitingLong(configurations.replace(params.plugin_instance_id, payload))
      )
  })
)
