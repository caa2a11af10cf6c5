import { Effect, Layer } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { StorageUnavailable } from "../../domain/shared/StorageUnavailable.ts"
import { bodyLimit } from "./Body.ts"
import { problemOf, problemResponse } from "./ProblemResponse.ts"
import { RequestContext } from "./RequestContext.ts"
import { InternalError, InvalidRequest, PayloadTooLarge, UnsupportedMediaType } from "./RequestProblems.ts"

/**
 * Answers the expected failures of an operation and declares those that any
 * operation may have. What is nobody's expected failure goes on to the edge,
 * which logs it.
 */
export class Problems extends HttpApiMiddleware.Service<Problems>()("forum/http/Problems", {
  error: [InvalidRequest, PayloadTooLarge, UnsupportedMediaType, InternalError, StorageUnavailable]
}) {}

export const layer = Layer.succeed(
  Problems,
  Problems.of((handler) =>
    Effect.catchCause(handler, (cause) =>
      Effect.gen(function* () {
        const problem = problemOf(cause, bodyLimit.json)
        if (problem instanceof InternalError) return yield* Effect.failCause(cause)
        const { traceId } = yield* RequestContext
        return problemResponse(problem, traceId)
      })
    )
  )
)
