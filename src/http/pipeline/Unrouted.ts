/** The answers to requests that reach no operation. */
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { InvalidRequest, MethodNotAllowed, NotFound } from "../contract/RequestProblems.ts"
import { type AllowedOrigins, preflight } from "./Origins.ts"
import { problemResponse } from "./ProblemResponse.ts"
import type { RequestFacts } from "./RequestContext.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The methods that a path supports, for the `Allow` header. */
export type AllowedMethods = (path: string) => ReadonlyArray<string>

export const pathOf = (request: Request) => request.url.split("?", 1)[0] ?? "/"

/** The problem of an address that matches a path of the API, but that the router cannot decode. */
const unreadableAddress = new InvalidRequest({
  metadata: {
    issues: [
      { in: "path", path: "", message: "Expected an address that is percent-encoded UTF-8 and not too long" }
    ]
  }
})

/** The answer to an address or method for which there is no operation. */
export const unroutedResponse = (
  methodsOf: AllowedMethods,
  request: Request,
  { traceId }: RequestFacts
): Response => {
  const allow = methodsOf(pathOf(request))
  if (allow.length === 0) return problemResponse(new NotFound(), traceId)
  if (allow.includes(request.method)) return problemResponse(unreadableAddress, traceId)
  const response = problemResponse(new MethodNotAllowed({ metadata: { allow } }), traceId)
  return HttpServerResponse.setHeader(response, "allow", allow.join(", "))
}

/** The answer to OPTIONS. A preflight succeeds for every address, so that a page can read the 404 that follows. */
export const optionsResponse = (
  methodsOf: AllowedMethods,
  origins: AllowedOrigins,
  request: Request,
  { traceId }: RequestFacts
): Response => {
  const allow = methodsOf(pathOf(request))
  if (allow.length > 0) {
    return HttpServerResponse.setHeader(preflight(origins, request), "allow", allow.join(", "))
  }
  return "access-control-request-method" in request.headers
    ? preflight(origins, request)
    : problemResponse(new NotFound(), traceId)
}
