/** Logs as JSON lines on standard output; traces and logs to an OTLP collector where there is one. */
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, Logger, References } from "effect"
import { Otlp } from "effect/observability"
import manifest from "../../package.json" with { type: "json" }
import { Settings } from "./Settings.ts"

const exporting = (baseUrl: string) =>
  Otlp.layerJson({
    baseUrl,
    resource: { serviceName: manifest.name, serviceVersion: manifest.version }
  }).pipe(Layer.provide(NodeHttpClient.layerUndici))

export const live = Layer.unwrap(
  Effect.map(Settings, ({ logLevel, otlpUrl }) => {
    const lines = Layer.merge(
      Logger.layer([Logger.consoleJson]),
      Layer.succeed(References.MinimumLogLevel, logLevel)
    )
    return otlpUrl === undefined ? lines : Layer.merge(lines, exporting(otlpUrl))
  })
)
