/** The HTTP server of the process, which answers with problems where the application cannot. */
import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { createServer, type ListenOptions } from "node:net"
import { Context, Effect, Layer } from "effect"
import { HttpServerError, ProblemDetails } from "effect/http"
import type { AnyProblem } from "../../domain/shared/Problem.ts"
import { undeclaredCaching } from "../../http/contract/Headers.ts"
import {
  BodyFragmented,
  CapacityExceeded,
  ContentEncodingUnsupported,
  ExpectationFailed,
  HeadersTooLarge,
  MethodUnknown,
  RequestTooSlow,
  ShuttingDown,
  UnreadableRequest
} from "../../http/contract/RequestProblems.ts"
import { networkOf } from "../../http/pipeline/ClientAddress.ts"
import { problemBody, problemHeaders } from "../../http/pipeline/ProblemResponse.ts"
import { type BoundedServer, makeServer } from "../connections/BoundedServer.ts"
import type { Explanation, Fault } from "../connections/Fault.ts"
import { defaultLimits, type Limits } from "../connections/Limits.ts"
import { Settings } from "./Settings.ts"

// Seconds after which it is worth while to try again.
const retryAfter = 1

const problemOf = (fault: Fault): AnyProblem => {
  switch (fault.reason) {
    case "capacity":
      return new CapacityExceeded({ metadata: { retry_after: retryAfter, exceeded: fault.exceeded } })
    case "encoding":
      return new ContentEncodingUnsupported({ metadata: { content_encoding: fault.encoding } })
    case "expectation":
      return new ExpectationFailed()
    case "fragmented":
      return new BodyFragmented()
    case "headers":
      return new HeadersTooLarge()
    case "method":
      return new MethodUnknown()
    case "slow":
      return new RequestTooSlow()
    case "stopping":
      return new ShuttingDown({ metadata: { retry_after: retryAfter } })
    case "unreadable":
      return new UnreadableRequest()
  }
}

/** The trace that a request belongs to, or a new one. */
const traceIdOf = (request: IncomingMessage | undefined) =>
  /^00-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}$/.exec(
    String(request?.headers.traceparent)
  )?.[1] ?? randomBytes(16).toString("hex")

const explain = (fault: Fault, request?: IncomingMessage): Explanation => {
  const problem = problemOf(fault)
  return {
    status: problem.status,
    headers: {
      "content-type": ProblemDetails.contentType,
      "cache-control": undeclaredCaching,
      "x-content-type-options": "nosniff",
      ...problemHeaders(problem)
    },
    body: JSON.stringify(problemBody(problem, traceIdOf(request)))
  }
}

export const make = (limits: Limits = defaultLimits): BoundedServer =>
  makeServer({
    limits,
    explain,
    networkOf,
    // The responses that operators need are small.
    mayBeLarge: (url) => url.startsWith("/api")
  })

export class NodeServer extends Context.Service<NodeServer, BoundedServer>()("forum/layers/NodeServer") {
  static readonly layer = Layer.effect(
    NodeServer,
    Effect.map(Settings, ({ maxConnections }) => make({ ...defaultLimits, connections: maxConnections }))
  )
}

/**
 * Fails where somebody listens at this address, as listening there does. An address that is shared could be shared with
 * another service that shares it, too.
 */
export const checkFree = (at: ListenOptions): Effect.Effect<void, HttpServerError.ServeError> =>
  Effect.callback((resume) => {
    const server = createServer()
      .once("error", (cause) => resume(Effect.fail(new HttpServerError.ServeError({ cause }))))
      .listen(at, () => server.close(() => resume(Effect.void)))
  })
