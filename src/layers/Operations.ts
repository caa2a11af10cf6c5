/** Addresses for those who run the service: is it alive, is it ready, how is it doing. */
import { Effect, Metric, Option, Result } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { StorageUnavailable } from "../domain/shared/StorageUnavailable.ts"
import { problemResponse } from "../http/shared/ProblemResponse.ts"
import { RequestContext } from "../http/shared/RequestContext.ts"
import { NotFound } from "../http/shared/RequestProblems.ts"
import { EventConsumers } from "../persistence/event/EventConsumersSql.ts"
import { applicationName } from "./Database.ts"

export const paths = { "/healthz": ["GET"], "/readyz": ["GET"], "/metrics": ["GET"] }

const connections = Metric.gauge("db_connections", {
  description: "This service's connections to the database, by state"
})
const lagging = Metric.gauge("event_log_lag", {
  description: "Events that not every consumer has handled yet"
})
const resident = Metric.gauge("process_resident_memory_bytes", {
  description: "Resident memory of the process"
})

const insiders = ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"].map(
  (text) => IpNetwork.fromStringUnsafe(text)
)

/** Whether a scraper asks from this machine or network, and no proxy forwards for a stranger. */
const isInside = (request: HttpServerRequest.HttpServerRequest) => {
  const { forwarded, "x-forwarded-for": forwardedFor } = request.headers
  if (forwarded !== undefined || forwardedFor !== undefined) return false
  const address = Option.flatMap(request.peerAddress, (text) =>
    Result.getSuccess(NetAddress.ipFromString(text.replace(/^::ffff:/i, "")))
  )
  return Option.exists(address, (ip) => insiders.some((network) => IpNetwork.contains(network, ip)))
}

const ready = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(
  Effect.timeout("2 seconds"),
  Effect.as(HttpServerResponse.empty({ status: 200 }))
)

const answerUnready = () =>
  Effect.map(RequestContext, ({ traceId }) =>
    problemResponse(new StorageUnavailable({ metadata: { retry_after: 1 } }), traceId)
  )

// A gauge keeps its last value, so a state that no connection is in any more has to be told as well.
const connectionStates = ["active", "idle", "idle in transaction", "idle in transaction (aborted)"]

const observeDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const consumers = yield* EventConsumers
  const states = yield* sql<{ readonly state: string; readonly count: number }>`
    select coalesce(state, 'unknown') as state, count(*)::int as count from pg_stat_activity
    where application_name = ${applicationName} and datname = current_database() group by 1`
  const counts = new Map(states.map(({ count, state }) => [state, count]))
  for (const state of new Set([...connectionStates, ...counts.keys()]))
    yield* Metric.update(Metric.withAttributes(connections, { state }), counts.get(state) ?? 0)
  yield* Metric.update(lagging, yield* consumers.observe)
})

/** Also without a database there is something to tell. */
const observe = Effect.gen(function* () {
  yield* Metric.update(resident, process.memoryUsage.rss())
  yield* observeDatabase.pipe(Effect.timeout("2 seconds"), Effect.ignoreCause)
})

const metrics = Effect.andThen(
  observe,
  Effect.map(PrometheusMetrics.format({ prefix: "forum" }), (text) =>
    HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4" })
  )
)

const hidden = Effect.map(RequestContext, ({ traceId }) => problemResponse(new NotFound(), traceId))

/** Names the operation for the log and the metrics, as the API's own operations are named. */
const named = (operation: string) =>
  Effect.map(RequestContext, (facts) => {
    facts.operation = operation
  })

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const context = yield* Effect.context<SqlClient.SqlClient | EventConsumers>()

    yield* router.add(
      "GET",
      "/healthz",
      Effect.as(named("healthz"), HttpServerResponse.empty({ status: 200 }))
    )
    yield* router.add(
      "GET",
      "/readyz",
      Effect.andThen(named("readyz"), Effect.catchCause(ready, answerUnready)).pipe(
        Effect.provideContext(context)
      )
    )
    yield* router.add("GET", "/metrics", (request) =>
      Effect.andThen(named("metrics"), isInside(request) ? metrics : hidden).pipe(
        Effect.provideContext(context)
      )
    )
  })
)
