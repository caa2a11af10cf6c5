/** Routes for those who operate the service: is it alive, is it ready, how is it doing. */
import { Effect, Metric } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { StorageHealth } from "../../domain/operations/StorageHealth.ts"
import { Admission } from "../shared/Admission.ts"
import { problemResponse } from "../shared/ProblemResponse.ts"
import { RequestContext } from "../shared/RequestContext.ts"
import { NotFound } from "../shared/RequestProblems.ts"
import { ConnectionFigures, makeObservation } from "./ConnectionFigures.ts"
import { MetricsToken, mayReadMetrics } from "./MetricsAccess.ts"

export const paths = { "/healthz": ["GET"], "/readyz": ["GET"], "/metrics": ["GET"] }

const connections = Metric.gauge("db_connections", {
  description: "Connections of the service to the database, by state"
})
const eventLag = Metric.gauge("event_log_lag", {
  description: "Events that at least one consumer has not handled yet"
})
const residentMemory = Metric.gauge("process_resident_memory_bytes", {
  description: "Resident memory of the process"
})

const ok = HttpServerResponse.empty({ status: 200 })

/** Names the operation for the log and the metrics, as the operations of the API are named. */
const named = <E, R>(
  operation: string,
  response: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.flatMap(RequestContext, (facts) => {
    facts.operation = operation
    return response
  })

const notFound = Effect.map(RequestContext, ({ traceId }) => problemResponse(new NotFound(), traceId))

const makeRoutes = Effect.gen(function* () {
  const storage = yield* StorageHealth
  const token = yield* MetricsToken
  const admission = yield* Admission
  const observeConnections = makeObservation(yield* ConnectionFigures)

  const ready = storage.check.pipe(
    Effect.as(ok),
    Effect.catch((problem) => Effect.map(RequestContext, ({ traceId }) => problemResponse(problem, traceId)))
  )

  const observeStorage = Effect.gen(function* () {
    const figures = yield* storage.observe
    for (const [state, count] of figures.connections)
      yield* Metric.update(Metric.withAttributes(connections, { state }), count)
    yield* Metric.update(eventLag, figures.eventLag)
  })

  const metrics = Effect.gen(function* () {
    yield* Metric.update(residentMemory, process.memoryUsage.rss())
    yield* admission.observe
    yield* observeConnections
    // Without a database the other metrics are still worth reading.
    yield* Effect.ignore(observeStorage)
    const text = yield* PrometheusMetrics.format({ prefix: "forum" })
    return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4" })
  })

  return {
    healthz: named("healthz", Effect.succeed(ok)),
    readyz: named("readyz", ready),
    metrics: (request: HttpServerRequest.HttpServerRequest) =>
      named("metrics", mayReadMetrics(request, token) ? metrics : notFound)
  }
})

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { healthz, metrics, readyz } = yield* makeRoutes
    yield* router.add("GET", "/healthz", healthz)
    yield* router.add("GET", "/readyz", readyz)
    yield* router.add("GET", "/metrics", metrics)
  })
)
