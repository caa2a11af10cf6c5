/** Checks the address of a request before its parameters are decoded. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { dieWithProblem } from "../../domain/shared/Problem.ts"
import { InvalidRequest } from "../contract/RequestProblems.ts"
import { tooOftenIn } from "./ArrayLimits.ts"

/** Refuses parameters that are given too often. */
export const checkAddress = (
  request: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<void> => {
  const start = request.url.indexOf("?")
  const issues = start === -1 ? [] : tooOftenIn(request.url.slice(start + 1), endpoint)
  return issues.length === 0 ? Effect.void : dieWithProblem(new InvalidRequest({ metadata: { issues } }))
}
