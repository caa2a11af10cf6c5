/** The outermost middleware, for every request: trace id, client, limits, deadline, problems, headers, metrics and log. */
import { Cause, Clock, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Deployment } from "../../domain/settings/Deployment.ts"
import {
  CrossSiteRequest,
  InternalError,
  NotFound,
  UnsupportedMediaType
} from "../contract/RequestProblems.ts"
import { withBodyLimits } from "./Body.ts"
import { InFlight } from "./InFlight.ts"
import { type AllowedOrigins, allowedOrigins, isCrossSite } from "./Origins.ts"
import { problemOf, problemResponse } from "./ProblemResponse.ts"
import { RateLimits } from "./RateLimits.ts"
import { factsOf, RequestContext, type RequestFacts } from "./RequestContext.ts"
import { RequestLog } from "./RequestLog.ts"
import { countRequest } from "./RequestMetrics.ts"
import { withUsualHeaders } from "./ResponseHeaders.ts"
import { makeTraceIdOf } from "./TraceIds.ts"
import { type AllowedMethods, optionsResponse, pathOf, unroutedResponse } from "./Unrouted.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

// As other servers log it; no client ever receives it.
const clientClosed = 499

/** What the steps of the pipeline have in common. */
interface Pipeline {
  readonly methodsOf: AllowedMethods
  readonly origins: AllowedOrigins
  readonly inFlight: InFlight["Service"]
  readonly limits: RateLimits["Service"]
  readonly log: typeof RequestLog.Service
}

/** The answer to a request that reaches no operation, which is counted all the same. */
const counted = (
  { limits }: Pipeline,
  request: Request,
  facts: RequestFacts,
  answer: () => Response
): Response => {
  const exceeded = facts.rate === undefined ? limits.charge(request, facts) : undefined
  return exceeded === undefined ? answer() : problemResponse(exceeded, facts.traceId)
}

const failed = Effect.fnUntraced(function* (
  pipeline: Pipeline,
  request: Request,
  facts: RequestFacts,
  cause: Cause.Cause<unknown>
) {
  // The client has closed the connection: the response goes to the log and the metrics alone.
  if (Cause.hasInterruptsOnly(cause)) return HttpServerResponse.empty({ status: clientClosed })
  const problem = problemOf(cause, facts.maxBody)
  if (problem instanceof NotFound) {
    return counted(pipeline, request, facts, () => unroutedResponse(pipeline.methodsOf, request, facts))
  }
  if (facts.rate === undefined) pipeline.limits.show(facts)
  if (problem instanceof InternalError) {
    yield* Effect.logError("Request failed", cause).pipe(Effect.annotateLogs({ trace_id: facts.traceId }))
  }
  return problemResponse(problem, facts.traceId)
})

/** Runs the app for a request that may reach it; any failure is answered. */
const answerTo = <E, R>(
  pipeline: Pipeline,
  app: Effect.Effect<Response, E, R>,
  request: Request,
  facts: RequestFacts
) => {
  const { inFlight, limits, methodsOf, origins } = pipeline
  if (isCrossSite(origins, request)) {
    const refusal = () => problemResponse(new CrossSiteRequest(), facts.traceId)
    return Effect.succeed(counted(pipeline, request, facts, refusal))
  }
  // The router takes nothing between two slashes for a parameter.
  if (pathOf(request).includes("//")) {
    return Effect.succeed(
      counted(pipeline, request, facts, () => unroutedResponse(methodsOf, request, facts))
    )
  }
  if (request.method === "OPTIONS") {
    // Free, and never refused: a page could not read the refusal of a preflight, and answering costs no more.
    limits.show(facts)
    return Effect.succeed(optionsResponse(methodsOf, origins, request, facts))
  }
  return app.pipe(
    withBodyLimits(request, facts),
    inFlight.track(facts),
    Effect.provideService(RequestContext, facts),
    Effect.catchCause((cause) => failed(pipeline, request, facts, cause))
  )
}

/** Replaces the responses of the framework that are no problems. */
const asProblem = (request: Request, facts: RequestFacts, response: Response): Response => {
  if (response.status !== 415) return response
  const content_type = request.headers["content-type"] ?? ""
  return problemResponse(new UnsupportedMediaType({ metadata: { content_type } }), facts.traceId)
}

/** Counts an answered request in the metrics, and writes its line of the log. */
const record = Effect.fnUntraced(function* (
  { log }: Pipeline,
  request: Request,
  facts: RequestFacts,
  response: Response,
  started: bigint
) {
  const seconds = Number((yield* Clock.monotonicTimeNanos) - started) / 1e9
  const operation = facts.operation ?? "unrouted"
  yield* countRequest(operation, response.status, seconds)
  yield* log({
    method: request.method,
    path: pathOf(request),
    status: response.status,
    ms: Math.round(seconds * 1e5) / 100,
    operation,
    account: facts.account ?? "unidentified",
    trace_id: facts.traceId
  })
})

export const make = Effect.fnUntraced(function* (methodsOf: AllowedMethods) {
  const pipeline: Pipeline = {
    methodsOf,
    origins: allowedOrigins(yield* Deployment),
    inFlight: yield* InFlight,
    limits: yield* RateLimits,
    log: yield* RequestLog
  }
  const traceIdOf = yield* makeTraceIdOf

  return <E, R>(app: Effect.Effect<Response, E, R>) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const started = yield* Clock.monotonicTimeNanos
      const facts = factsOf(yield* traceIdOf(request), yield* pipeline.limits.clientOf(request))
      const answered = asProblem(request, facts, yield* answerTo(pipeline, app, request, facts))
      const response = withUsualHeaders(answered, request, facts, pipeline.origins)
      yield* record(pipeline, request, facts, response, started)
      return response
    })
})
