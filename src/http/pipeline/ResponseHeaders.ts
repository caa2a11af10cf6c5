/** The headers that every answer has. */
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { undeclaredCaching } from "../contract/Headers.ts"
import { type AllowedOrigins, corsHeaders } from "./Origins.ts"
import type { RequestFacts } from "./RequestContext.ts"

type Response = HttpServerResponse.HttpServerResponse

const noReferrer = "no-referrer"
const apiPolicy = "default-src 'none'; frame-ancestors 'none'"

/** The length of an empty body, by which clients know that there is nothing to decode. 204 and 304 never have one. */
const lengthOf = ({ body, status }: Response): Record<string, string> =>
  body._tag === "Empty" && status !== 204 && status !== 304 ? { "content-length": "0" } : {}

/**
 * The headers that say what the rate limit leaves to the client; none where no limit holds, which is outside of the
 * API.
 */
const rateHeaders = ({ rate }: RequestFacts): Record<string, string> =>
  rate === undefined
    ? {}
    : {
        "x-ratelimit-limit": String(rate.limit),
        "x-ratelimit-remaining": String(rate.remaining),
        "x-ratelimit-reset": rate.reset
      }

export const withUsualHeaders = (
  response: Response,
  request: HttpServerRequest.HttpServerRequest,
  facts: RequestFacts,
  origins: AllowedOrigins
): Response =>
  HttpServerResponse.setHeaders(response, {
    ...lengthOf(response),
    ...rateHeaders(facts),
    "x-content-type-options": "nosniff",
    "referrer-policy": response.headers["referrer-policy"] ?? noReferrer,
    "cache-control": response.headers["cache-control"] ?? undeclaredCaching,
    "content-security-policy": response.headers["content-security-policy"] ?? apiPolicy,
    vary: response.headers.vary === undefined ? "Origin" : `${response.headers.vary}, Origin`,
    ...corsHeaders(origins, request)
  })
