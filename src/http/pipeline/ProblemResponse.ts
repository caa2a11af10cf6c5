/** Turns every failure into a problem (RFC 9457). */
import { Cause, Option, type SchemaIssue } from "effect"
import { HttpServerError, HttpServerResponse, ProblemDetails } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { type AnyProblem, CarriedProblem, isProblem } from "../../domain/shared/Problem.ts"
import {
  InternalError,
  InvalidRequest,
  type Issue,
  NotFound,
  PayloadTooLarge
} from "../contract/RequestProblems.ts"
import { usualChallenge } from "./Challenge.ts"
import { brokenIn } from "./Issues.ts"
import { headersFor } from "./ProblemHeaders.ts"

const slots = { Params: "path", Query: "query", Headers: "header", Payload: "body" } as const

// More would help nobody.
const issuesMax = 50

const invalid = (slot: Issue["in"], issue: SchemaIssue.Issue) => {
  const issues = brokenIn(issue)
  const reported = issues
    .slice(0, issuesMax)
    .map(({ message, path }) => ({ in: slot, path: path.map(String).join("."), message }))
  const more = issues.length - reported.length
  return new InvalidRequest({ metadata: { issues: reported, ...(more === 0 ? {} : { more }) } })
}

/** The problem for a failure. A failure that is not declared is an internal error, and its cause is not shown. */
export const problemOf = (cause: Cause.Cause<unknown>, maxBody: number): AnyProblem => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isSome(failure) && isProblem(failure.value)) return failure.value
  const error = Option.getOrElse(failure, () => Cause.squash(cause))
  // A problem that merely happens to be a defect is one, like any other.
  if (error instanceof CarriedProblem) return error.problem
  if (HttpApiError.HttpApiSchemaError.is(error) && error.kind in slots) {
    const slot = error.kind === "Body" || error.kind === "ResponseHeaders" ? undefined : slots[error.kind]
    if (slot !== undefined) return invalid(slot, error.cause.issue)
  }
  if (HttpServerError.isHttpServerError(error)) {
    const { reason } = error
    if (reason._tag === "RouteNotFound") return new NotFound()
    if (reason._tag === "RequestParseError") {
      return reason.reason === "BodyTooLarge"
        ? new PayloadTooLarge({ metadata: { maximum: maxBody } })
        : new InvalidRequest({ metadata: { issues: [{ in: "body", path: "", message: "cannot be read" }] } })
    }
  }
  return new InternalError()
}

/** The body of every failure (RFC 9457, 3). */
export const problemBody = (problem: AnyProblem, traceId: string) => ({
  type: problem.type,
  title: problem.title,
  status: problem.status,
  ...(problem.detail === undefined ? {} : { detail: problem.detail }),
  trace_id: traceId,
  metadata: problem.metadata
})

/** The headers of a problem beside its content type. */
export const problemHeaders = (problem: AnyProblem, challenge = usualChallenge): Record<string, string> =>
  Object.fromEntries(
    headersFor(problem).map(({ name, valueFor }) => [name.toLowerCase(), valueFor(problem, challenge)])
  )

/** The answer to a failure. The challenge is for those who could authenticate, or better than they did. */
export const problemResponse = (
  problem: AnyProblem,
  traceId: string,
  challenge?: string
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(problemBody(problem, traceId), {
    status: problem.status,
    contentType: ProblemDetails.contentType,
    headers: problemHeaders(problem, challenge)
  })
