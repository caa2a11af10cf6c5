/** Routes for those who operate the service: is it alive, is it ready, how is it doing. */
import { Effect, Metric } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { DiskSpace, makeDiskReserve, StorageFull } from "../../domain/asset/DiskSpace.ts"
import { StorageHealth } from "../../domain/operations/StorageHealth.ts"
import { StreamedBodies } from "../bytes/StreamedBodies.ts"
import { NotFound } from "../contract/RequestProblems.ts"
import { Admission } from "../pipeline/Admission.ts"
import { problemResponse } from "../pipeline/ProblemResponse.ts"
import { named, RequestContext } from "../pipeline/RequestContext.ts"
import { ConnectionFigures, makeObservation } from "./ConnectionFigures.ts"
import { MetricsToken, mayReadMetrics } from "./MetricsAccess.ts"

export const paths = { "/healthz": ["GET"], "/readyz": ["GET"], "/metrics": ["GET"] } as const

const connections = Metric.gauge("db_connections", {
  description: "Connections of the service to the database, by state"
})
const eventLag = Metric.gauge("event_log_lag", {
  description: "Events that at least one consumer has not handled yet"
})
const residentMemory = Metric.gauge("process_resident_memory_bytes", {
  description: "Resident memory of the process"
})

const freeDisk = Metric.gauge("disk_free_bytes", {
  description: "What is free of the disk on which files arrive"
})
const diskReserve = Metric.gauge("disk_reserve_bytes", {
  description: "What is kept of it: with less free, uploads are refused"
})

const ok = HttpServerResponse.empty({ status: 200 })

const notFound = Effect.map(RequestContext, ({ traceId }) => problemResponse(new NotFound(), traceId))

const makeRoutes = Effect.gen(function* () {
  const storage = yield* StorageHealth
  const token = yield* MetricsToken
  const admission = yield* Admission
  const uploads = yield* StreamedBodies
  const disk = yield* DiskSpace
  const { findShortage } = yield* makeDiskReserve
  const observeConnections = makeObservation(yield* ConnectionFigures)

  /** The answer of a service that is ready. It is no failure that uploads are refused, as reading works. */
  const details = Effect.map(findShortage, (shortage) =>
    shortage === undefined
      ? ok
      : HttpServerResponse.jsonUnsafe({
          uploads: "refused",
          reason: StorageFull.problemType.name,
          disk_free_bytes: shortage.free,
          disk_reserve_bytes: shortage.reserve
        })
  )

  const ready = storage.check.pipe(
    Effect.andThen(details),
    Effect.catch((problem) => Effect.map(RequestContext, ({ traceId }) => problemResponse(problem, traceId)))
  )

  const observeStorage = Effect.gen(function* () {
    const figures = yield* storage.observe
    for (const [state, count] of figures.connections)
      yield* Metric.update(Metric.withAttributes(connections, { state }), count)
    yield* Metric.update(eventLag, figures.eventLag)
  })

  const observeDisk = Effect.gen(function* () {
    const bytes = yield* disk.free
    if (bytes !== undefined) yield* Metric.update(freeDisk, bytes)
    yield* Metric.update(diskReserve, disk.reserve)
  })

  const metrics = Effect.gen(function* () {
    yield* Metric.update(residentMemory, process.memoryUsage.rss())
    yield* admission.observe
    yield* uploads.observe
    yield* observeConnections
    yield* observeDisk
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
