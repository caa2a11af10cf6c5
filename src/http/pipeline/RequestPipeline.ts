/** The outermost middleware, for every request: trace id, client, limits, deadline, problems, headers, metrics and log. */
import { Cause, Clock, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { HttpServerRequest, HttpServerResponse, HttpTraceContext } from "effect/http"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { findTraceId } from "../../domain/shared/TraceId.ts"
import { undeclaredCaching } from "../contract/Headers.ts"
import {
  CrossSiteRequest,
  InternalError,
  InvalidRequest,
  MethodNotAllowed,
  NotFound,
  UnsupportedMediaType
} from "../contract/RequestProblems.ts"
import { withBodyLimits } from "./Body.ts"
import { InFlight } from "./InFlight.ts"
import { allowedOrigins, corsHeaders, isCrossSite, preflight } from "./Origins.ts"
import { problemOf, problemResponse } from "./ProblemResponse.ts"
import { RateLimits } from "./RateLimits.ts"
import { factsOf, RequestContext, type RequestFacts } from "./RequestContext.ts"
import { RequestLog } from "./RequestLog.ts"
import { countRequest } from "./RequestMetrics.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const securityHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}
const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

// As other servers log it; no client ever receives it.
const clientClosed = 499

/** The methods that a path supports, for the `Allow` header. */
export type AllowedMethods = (path: string) => ReadonlyArray<string>

/** By this length clients know that there is nothing to decode. 204 and 304 never have a body, and no length. */
const lengthOf = ({ body, status }: Response): Record<string, string> =>
  body._tag === "Empty" && status !== 204 && status !== 304 ? { "content-length": "0" } : {}

/** How it stands for the client with the rate limit; nothing where no limit holds, which is outside of the API. */
const rateHeaders = ({ rate }: RequestFacts): Record<string, string> =>
  rate === undefined
    ? {}
    : {
        "x-ratelimit-limit": String(rate.limit),
        "x-ratelimit-remaining": String(rate.remaining),
        "x-ratelimit-reset": rate.reset
      }

const pathOf = (request: Request) => request.url.split("?", 1)[0] ?? "/"

/** For an address that matches a path of the API, but that the router cannot decode. */
const unreadableAddress = new InvalidRequest({
  metadata: {
    issues: [
      { in: "path", path: "", message: "Expected an address that is percent-encoded UTF-8 and not too long" }
    ]
  }
})

// Random bytes for one id cost as much as for hundreds, so they are drawn for many.
const idsPerDraw = 256

/** Makes trace ids for requests without one (16 bytes in hexadecimal, W3C Trace Context). */
const makeTraceIds = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<string> => {
  let drawn: ReadonlyArray<string> = []
  let used = 0
  const draw = Effect.map(random.randomBytes(16 * idsPerDraw), (bytes) => {
    drawn = Hex.encode(bytes).match(/.{32}/g) ?? []
    used = 0
  })
  const next = Effect.sync(() => drawn[used++] ?? "")
  return Effect.suspend(() => (used < drawn.length ? next : Effect.andThen(draw, next)))
}

const traceIdOf = (request: Request, newTraceId: Effect.Effect<string>) =>
  Effect.flatMap(findTraceId, (running) => {
    if (Option.isSome(running)) return Effect.succeed(running.value)
    const incoming = HttpTraceContext.fromHeaders(request.headers)
    return Option.isSome(incoming) ? Effect.succeed(incoming.value.traceId) : newTraceId
  })

export const make = (methodsOf: AllowedMethods) =>
  Effect.gen(function* () {
    const origins = allowedOrigins(yield* Deployment)
    const newTraceId = makeTraceIds(yield* SecureRandom.SecureRandom)
    const inFlight = yield* InFlight
    const limits = yield* RateLimits
    const log = yield* RequestLog

    const unrouted = (request: Request, facts: RequestFacts): Response => {
      const allow = methodsOf(pathOf(request))
      if (allow.length === 0) return problemResponse(new NotFound(), facts.traceId)
      if (allow.includes(request.method)) return problemResponse(unreadableAddress, facts.traceId)
      const response = problemResponse(new MethodNotAllowed({ metadata: { allow } }), facts.traceId)
      return HttpServerResponse.setHeader(response, "allow", allow.join(", "))
    }

    /** Answers OPTIONS. A preflight succeeds for every address, so that a page can read the 404 that follows. */
    const options = (request: Request, facts: RequestFacts): Response => {
      const allow = methodsOf(pathOf(request))
      if (allow.length > 0) {
        return HttpServerResponse.setHeader(preflight(origins, request), "allow", allow.join(", "))
      }
      return "access-control-request-method" in request.headers
        ? preflight(origins, request)
        : problemResponse(new NotFound(), facts.traceId)
    }

    /** The answer to a request that reaches no operation, which is counted all the same. */
    const counted = (request: Request, facts: RequestFacts, answer: () => Response): Response => {
      const exceeded = facts.rate === undefined ? limits.charge(request, facts) : undefined
      return exceeded === undefined ? answer() : problemResponse(exceeded, facts.traceId)
    }

    const failed = Effect.fnUntraced(function* (
      request: Request,
      facts: RequestFacts,
      cause: Cause.Cause<unknown>
    ) {
      // The client has closed the connection: the response goes to the log and the metrics alone.
      if (Cause.hasInterruptsOnly(cause)) return HttpServerResponse.empty({ status: clientClosed })
      const problem = problemOf(cause, facts.maxBody)
      if (problem instanceof NotFound) return counted(request, facts, () => unrouted(request, facts))
      if (facts.rate === undefined) limits.show(facts)
      if (problem instanceof InternalError) {
        yield* Effect.logError("Request failed", cause).pipe(Effect.annotateLogs({ trace_id: facts.traceId }))
      }
      return problemResponse(problem, facts.traceId)
    })

    const run = <E, R>(app: Effect.Effect<Response, E, R>, request: Request, facts: RequestFacts) => {
      if (isCrossSite(origins, request)) {
        const refusal = () => problemResponse(new CrossSiteRequest(), facts.traceId)
        return Effect.succeed(counted(request, facts, refusal))
      }
      // The router takes nothing between two slashes for a parameter.
      if (pathOf(request).includes("//")) {
        return Effect.succeed(counted(request, facts, () => unrouted(request, facts)))
      }
      if (request.method === "OPTIONS") {
        // Free, and never refused: a page could not read the refusal of a preflight, and answering costs no more.
        limits.show(facts)
        return Effect.succeed(options(request, facts))
      }
      return app.pipe(
        withBodyLimits(request, facts),
        inFlight.track(facts),
        Effect.provideService(RequestContext, facts),
        Effect.catchCause((cause) => failed(request, facts, cause))
      )
    }

    /** Replaces the responses of the framework that are no problems. */
    const asProblem = (request: Request, facts: RequestFacts, response: Response): Response => {
      if (response.status === 415) {
        const content_type = request.headers["content-type"] ?? ""
        return problemResponse(new UnsupportedMediaType({ metadata: { content_type } }), facts.traceId)
      }
      return response
    }

    const finish = (request: Request, facts: RequestFacts, response: Response): Response =>
      HttpServerResponse.setHeaders(response, {
        ...lengthOf(response),
        ...rateHeaders(facts),
        ...securityHeaders,
        "cache-control": response.headers["cache-control"] ?? undeclaredCaching,
        "content-security-policy": response.headers["content-security-policy"] ?? apiPolicy,
        vary: response.headers.vary === undefined ? "Origin" : `${response.headers.vary}, Origin`,
        ...corsHeaders(origins, request)
      })

    const record = Effect.fnUntraced(function* (
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

    return <E, R>(app: Effect.Effect<Response, E, R>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const started = yield* Clock.monotonicTimeNanos
        const facts = factsOf(yield* traceIdOf(request, newTraceId), yield* limits.clientOf(request))
        const answered = asProblem(request, facts, yield* run(app, request, facts))
        const response = finish(request, facts, answered)
        yield* record(request, facts, response, started)
        return response
      })
  })
