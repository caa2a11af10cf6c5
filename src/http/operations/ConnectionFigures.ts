/** What the server counts about its connections, for the metrics. */
import { Context, Effect, Metric } from "effect"

export interface Figures {
  readonly connections: number
  readonly requestsInProgress: number
  readonly requestsWaiting: number
  readonly bodyBytes: number
  readonly responseBytes: number
  /** How often the server refused a request, or closed a connection, before or apart from the application, by reason. */
  readonly refusals: ReadonlyMap<string, number>
}

/** Reads the figures; nothing where another server than that of the deployment listens, as in some tests. */
export const ConnectionFigures = Context.Reference<() => Figures | undefined>(
  "forum/http/ConnectionFigures",
  { defaultValue: () => () => undefined }
)

const connections = Metric.gauge("http_connections", { description: "Open connections of clients" })
const requests = Metric.gauge("http_requests", {
  description: "Requests in progress, and requests that wait for the one before on their connection, by state"
})
const bytes = Metric.gauge("http_buffered_bytes", {
  description: "Bytes of request bodies in memory, and of responses that clients have not taken, by direction"
})
const refusals = Metric.counter("http_refusals_total", {
  description: "Requests refused or connections closed before they reached an operation, by reason",
  incremental: true
})

/** Makes an effect that brings the metrics up to date. */
export const makeObservation = (read: () => Figures | undefined): Effect.Effect<void> => {
  const counted = new Map<string, number>()
  return Effect.suspend(() => {
    const figures = read()
    if (figures === undefined) return Effect.void
    const { bodyBytes, requestsInProgress, requestsWaiting, responseBytes } = figures
    const updates = [
      Metric.update(connections, figures.connections),
      Metric.update(Metric.withAttributes(requests, { state: "in_progress" }), requestsInProgress),
      Metric.update(Metric.withAttributes(requests, { state: "waiting" }), requestsWaiting),
      Metric.update(Metric.withAttributes(bytes, { direction: "in" }), bodyBytes),
      Metric.update(Metric.withAttributes(bytes, { direction: "out" }), responseBytes)
    ]
    for (const [reason, count] of figures.refusals) {
      updates.push(
        Metric.update(Metric.withAttributes(refusals, { reason }), count - (counted.get(reason) ?? 0))
      )
      counted.set(reason, count)
    }
    return Effect.all(updates, { discard: true })
  })
}
