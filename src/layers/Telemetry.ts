/** Logs as JSON lines on standard output; traces and logs to an OTLP collector where there is one. */
import type { Writable } from "node:stream"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Formatter, Layer, Logger, References } from "effect"
import { UrlParams } from "effect/http"
import { Otlp } from "effect/observability"
import manifest from "../../package.json" with { type: "json" }
import { addressOf } from "../domain/instance/Deployment.ts"
import { Settings } from "./Settings.ts"

// Spans contain the address of their request. Its query may hold personal data and secrets: searches, codes, invitations.
const withoutQueries = Layer.succeed(UrlParams.CurrentRedactedNames, [/^/])

const exporting = (baseUrl: string) =>
  Otlp.layerJson({
    baseUrl,
    resource: { serviceName: manifest.name, serviceVersion: manifest.version }
  }).pipe(Layer.provide(NodeHttpClient.layerUndici), Layer.merge(withoutQueries))

/** Bytes that may wait for the reader of the log. */
export const backlogLimit = 8 * 1024 * 1024

/** Writes lines to a stream, or drops them while its reader is too far behind: memory is worth more than the log. */
export const writeLines = (stream: Writable, lines: ReadonlyArray<string>) => {
  if (stream.writableLength < backlogLimit) stream.write(`${lines.join("\n")}\n`)
}

const isPlain = (value: unknown) =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** Most lines have nothing but texts and numbers. Only in others the formatter has to look for secrets and cycles. */
const toJson = (entry: ReturnType<typeof Logger.formatStructured.log>): string =>
  isPlain(entry.message) && Object.values(entry.annotations).every(isPlain)
    ? JSON.stringify(entry)
    : Formatter.formatJson(entry)

// One write per request would cost more than some requests do.
const logger = Logger.batched(Logger.map(Logger.formatStructured, toJson), {
  window: "50 millis",
  flush: (lines) => Effect.sync(() => writeLines(process.stdout, lines))
})

export const live = Layer.unwrap(
  Effect.map(Settings, ({ logLevel, otlpUrl }) => {
    const local = Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, logLevel))
    return otlpUrl === undefined
      ? // Without a collector no spans are created.
        Layer.merge(local, Layer.succeed(References.TracerEnabled, false))
      : // The order matters: the exporter adds itself to the existing loggers.
        Layer.provideMerge(exporting(addressOf(otlpUrl)), local)
  })
)
