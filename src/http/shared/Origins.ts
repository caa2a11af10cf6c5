/** CORS, and protection against cross-site request forgery: which pages may use the API with the session of their viewer. */
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { Deployment } from "../../domain/instance/Deployment.ts"

const methods = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
const requestHeaders =
  "Accept, Authorization, Content-Type, Content-Length, If-None-Match, X-CSRF-Token, X-Correlation-ID, X-Forwarded-Host, traceparent"
const responseHeaders =
  "Link, Location, Content-Type, Content-Length, ETag, Retry-After, X-Ratelimit-Limit, X-Ratelimit-Remaining, X-Ratelimit-Reset"
const preflightSeconds = "300"

export type AllowedOrigins = ReadonlySet<string>

/** The origins of the API and of the web frontend, and the configured ones. */
export const allowedOrigins = (deployment: Deployment["Service"]): AllowedOrigins =>
  new Set([deployment.publicUrl.origin, deployment.webUrl.origin, ...deployment.origins])

/** The headers that let a page of an allowed origin read the response. */
export const corsHeaders = (
  origins: AllowedOrigins,
  request: HttpServerRequest.HttpServerRequest
): Record<string, string> => {
  const origin = request.headers.origin?.toLowerCase()
  return origin !== undefined && origins.has(origin)
    ? {
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": responseHeaders
      }
    : {}
}

export const preflight = (
  origins: AllowedOrigins,
  request: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...("access-control-allow-origin" in corsHeaders(origins, request)
        ? {
            "access-control-allow-methods": methods,
            "access-control-allow-headers": requestHeaders,
            "access-control-max-age": preflightSeconds
          }
        : {})
    }
  })

const safe = new Set(["GET", "HEAD", "OPTIONS"])

const hostOf = (origin: string) => URL.parse(origin)?.hostname

/**
 * Whether a page of another site sent this request, and it changes something.
 * Pages of allowed origins, and of the same host on any port, are the same
 * site. Requests without the headers that browsers send come from programs.
 */
export const isCrossSite = (
  origins: AllowedOrigins,
  request: HttpServerRequest.HttpServerRequest
): boolean => {
  if (safe.has(request.method)) return false
  const origin = request.headers.origin?.toLowerCase()
  if (origin !== undefined) {
    if (origins.has(origin)) return false
    const host = URL.parse(`http://${request.headers.host ?? ""}`)?.hostname
    return host === undefined || hostOf(origin) !== host
  }
  const site = request.headers["sec-fetch-site"]
  return site === "cross-site"
}
