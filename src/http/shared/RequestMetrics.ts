import { Effect, Metric } from "effect"

const requests = Metric.counter("http_requests_total", {
  description: "Requests answered, by operation and status",
  incremental: true
})
const durations = Metric.histogram("http_request_duration_seconds", {
  description: "Seconds from the arrival of a request to its response, by operation",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

// Looking up a metric by its attributes costs several times as much as updating it, and there are few.
const remembered = <Input, State>(metricOf: (key: string) => Metric.Metric<Input, State>) => {
  const known = new Map<string, Metric.Metric<Input, State>>()
  return (key: string) => {
    const metric = known.get(key) ?? metricOf(key)
    known.set(key, metric)
    return metric
  }
}

const requestsOf = remembered((key) => {
  const [operation = "", status = ""] = key.split(" ")
  return Metric.withAttributes(requests, { operation, status })
})
const durationsOf = remembered((operation) => Metric.withAttributes(durations, { operation }))

/** Counts an answered request. */
export const countRequest = (operation: string, status: number, seconds: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(requestsOf(`${operation} ${status}`), 1),
    Metric.update(durationsOf(operation), seconds)
  )
