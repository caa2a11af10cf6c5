/** Logs as JSON lines on standard output; traces and logs to an OTLP collector where there is one. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Logger, References } from "effect"
import { UrlParams } from "effect/http"
import { Otlp } from "effect/observability"
import manifest from "../../package.json" with { type: "json" }
import { Settings } from "./Settings.ts"

// Spans name the address of their request; what its query holds (searches, codes, invitations) is nobody else's business.
const withoutQueries = Layer.succeed(UrlParams.CurrentRedactedNames, [/^/])

const exporting = (baseUrl: string) =>
  Otlp.layerJson({
    baseUrl,
    resource: { serviceName: manifest.name, serviceVersion: manifest.version }
  }).pipe(Layer.provide(NodeHttpClient.layerUndici), Layer.merge(withoutQueries))

// A write for each request would cost more than many a request.
const lines = Logger.batched(Logger.formatJson, {
  window: "50 millis",
  flush: (batch) => Effect.sync(() => process.stdout.write(`${batch.join("\n")}\n`))
})

export const live = Layer.unwrap(
  Effect.map(Settings, ({ logLevel, otlpUrl }) => {
    const local = Layer.merge(Logger.layer([lines]), Layer.succeed(References.MinimumLogLevel, logLevel))
    return otlpUrl === undefined
      ? // Spans that nobody collects are not made.
        Layer.merge(local, Layer.succeed(References.TracerEnabled, false))
      : // In this order: the exporter joins the loggers that it finds.
        Layer.provideMerge(exporting(otlpUrl), local)
  })
)
