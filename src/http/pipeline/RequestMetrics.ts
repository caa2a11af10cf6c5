import { type Context, Effect, Metric } from "effect"

// Each combination of attributes is a metric of its own: attributes that are added on update are merged each time.
const remembered = <Input, State>(metricOf: (key: string) => Metric.Metric<Input, State>) => {
  const known = new Map<string, Metric.Metric<Input, State>>()
  return (key: string) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const metric = metricOf(key)
    known.set(key, metric)
    return metric
  }
}

const requestsOf = remembered((key) => {
  const [operation = "", status = ""] = key.split(" ")
  return Metric.counter("http_requests_total", {
    description: "Requests answered, by operation and status",
    incremental: true,
    attributes: { operation, status }
  })
})

const durationsOf = remembered((operation) =>
  Metric.histogram("http_request_duration_seconds", {
    description: "Seconds from the arrival of a request to its response, by operation",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    attributes: { operation }
  })
)

/** Counts an answered request. */
export const countRequest = (operation: string, status: number, seconds: number): Effect.Effect<void> =>
  Effect.contextWith((context: Context.Context<never>) => {
    requestsOf(`${operation} ${status}`).updateUnsafe(1, context)
    durationsOf(operation).updateUnsafe(seconds, context)
    return Effect.void
  })
