/** Logs as JSON lines on standard output; traces and logs to an OTLP collector where there is one. */
import type { Writable } from "node:stream"
import { Clock, Effect, Formatter, Layer, Logger, LogLevel, References } from "effect"
import { UrlParams } from "effect/http"
import { Otlp } from "effect/observability"
import manifest from "../../../package.json" with { type: "json" }
import { addressOf } from "../../domain/settings/Deployment.ts"
import { type RequestLine, RequestLog, requestMessage } from "../../http/pipeline/RequestLog.ts"
import { Settings } from "./Settings.ts"

// Spans contain the address of their request. Its query may hold personal data and secrets: searches, codes, invitations.
const withoutQueries = Layer.succeed(UrlParams.CurrentRedactedNames, [/^/])

// Loaded where it is used: most services have no collector.
const httpClient = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@effect/platform-node/NodeHttpClient")),
    ({ layerUndici }) => layerUndici
  )
)

const exporting = (baseUrl: string) =>
  Otlp.layerJson({
    baseUrl,
    resource: { serviceName: manifest.name, serviceVersion: manifest.version }
  }).pipe(Layer.provide(httpClient), Layer.merge(withoutQueries))

/** Bytes that may wait for the reader of the log. */
export const backlogLimit = 8 * 1024 * 1024

/** Writes lines to a stream, or drops them while its reader is too far behind: memory is worth more than the log. */
export const writeLines = (stream: Writable, lines: ReadonlyArray<string>) => {
  if (stream.writableLength < backlogLimit) stream.write(`${lines.join("\n")}\n`)
}

const isPlain = (value: unknown) =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/**
 * An entry as a line of JSON. Only in one that has more than texts and numbers, the formatter has to look for secrets
 * and cycles.
 */
const toJson = (entry: ReturnType<typeof Logger.formatStructured.log>): string =>
  isPlain(entry.message) && Object.values(entry.annotations).every(isPlain)
    ? JSON.stringify(entry)
    : Formatter.formatJson(entry)

// One write per request would cost more than some requests do.
const flushEvery = "50 millis"

/** Makes a function that collects lines, and writes those of a short while together. */
const makeLines = Effect.gen(function* () {
  let lines: Array<string> = []
  const flush = Effect.sync(() => {
    if (lines.length === 0) return
    writeLines(process.stdout, lines)
    lines = []
  })
  yield* Effect.addFinalizer(() => flush)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(flushEvery), flush)))
  return (line: string) => {
    lines.push(line)
  }
})

/** The text of the line for a request, as the logger writes it. */
export const requestText = (line: RequestLine, millis: number, fiberId: number): string =>
  `{"message":"${requestMessage}","level":"INFO","timestamp":"${new Date(millis).toISOString()}","annotations":${JSON.stringify(line)},"spans":{},"fiberId":"#${fiberId}"}`

/**
 * Writes the lines of requests, which are nearly all that there are, without the loggers: to go through them would
 * take a quarter of the time of a small request.
 */
const requestLog = (write: (line: string) => void) => (line: RequestLine) =>
  Effect.withFiber((fiber) => {
    write(requestText(line, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe(), fiber.id))
    return Effect.void
  })

const local = Layer.unwrap(
  Effect.gen(function* () {
    const { logLevel, otlpUrl } = yield* Settings
    const write = yield* makeLines
    const logger = Logger.map(Logger.formatStructured, (entry) => write(toJson(entry)))
    const level = Layer.succeed(References.MinimumLogLevel, logLevel)
    const isShort = otlpUrl === undefined && LogLevel.isLessThanOrEqualTo(logLevel, "Info")
    const requests = isShort ? Layer.succeed(RequestLog, requestLog(write)) : Layer.empty
    return Layer.mergeAll(Logger.layer([logger]), level, requests)
  })
)

export const live = Layer.unwrap(
  Effect.map(Settings, ({ otlpUrl }) =>
    otlpUrl === undefined
      ? // Without a collector no spans are created.
        Layer.merge(local, Layer.succeed(References.TracerEnabled, false))
      : // The order matters: the exporter adds itself to the existing loggers.
        Layer.provideMerge(exporting(addressOf(otlpUrl)), local)
  )
)
