/** Answers the declared failures of operations. An undeclared one goes on to the request pipeline, which logs it. */
import { type Cause, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { limitOf } from "./Body.ts"
import { CommonProblems } from "./CommonProblems.ts"
import { problemOf, problemResponse } from "./ProblemResponse.ts"
import { RequestContext } from "./RequestContext.ts"
import { InternalError } from "./RequestProblems.ts"

const answer = Effect.fnUntraced(function* <E>(cause: Cause.Cause<E>) {
  const problem = problemOf(cause, limitOf(yield* HttpServerRequest.HttpServerRequest))
  if (problem instanceof InternalError) return yield* Effect.failCause(cause)
  const { traceId } = yield* RequestContext
  return problemResponse(problem, traceId)
})

export const layer = Layer.succeed(
  CommonProblems,
  CommonProblems.of((handler) => Effect.catchCause(handler, answer))
)
