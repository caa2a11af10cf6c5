import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { StorageUnavailable } from "../../domain/shared/StorageUnavailable.ts"
import { limitOf } from "./Body.ts"
import { problemOf, problemResponse } from "./ProblemResponse.ts"
import { RequestContext } from "./RequestContext.ts"
import {
  CrossSiteRequest,
  DeadlineExceeded,
  InternalError,
  InvalidRequest,
  PayloadTooLarge,
  ShuttingDown,
  UnsupportedMediaType
} from "./RequestProblems.ts"

/**
 * Answers the expected failures of an operation and declares those that any
 * operation may have. What is nobody's expected failure goes on to the edge,
 * which logs it.
 */
export class ProblemResponses extends HttpApiMiddleware.Service<ProblemResponses>()(
  "forum/http/ProblemResponses",
  {
    error: [
      InvalidRequest,
      CrossSiteRequest,
      PayloadTooLarge,
      UnsupportedMediaType,
      InternalError,
      StorageUnavailable,
      DeadlineExceeded,
      ShuttingDown
    ]
  }
) {}

export const layer = Layer.succeed(
  ProblemResponses,
  ProblemResponses.of((handler) =>
    Effect.catchCause(handler, (cause) =>
      Effect.gen(function* () {
        const problem = problemOf(cause, limitOf(yield* HttpServerRequest.HttpServerRequest))
        if (problem instanceof InternalError) return yield* Effect.failCause(cause)
        const { traceId } = yield* RequestContext
        return problemResponse(problem, traceId)
      })
    )
  )
)
