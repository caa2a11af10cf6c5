/** CORS, and protection against cross-site request forgery: which pages may use the API with the session of their viewer. */
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { Deployment } from "../../domain/settings/Deployment.ts"

const methods = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
const requestHeaders =
  "Accept, Authorization, Content-Type, Content-Length, Idempotency-Key, If-None-Match, X-CSRF-Token, X-Correlation-ID, X-Forwarded-Host, b3, traceparent"
const responseHeaders =
  "Link, Location, Content-Type, Content-Length, ETag, Idempotency-Replayed, Retry-After, X-Ratelimit-Limit, X-Ratelimit-Remaining, X-Ratelimit-Reset"
const preflightSeconds = "300"

export interface AllowedOrigins {
  readonly origins: ReadonlySet<string>
  /** The scheme and host of each allowed origin, without a port. */
  readonly sites: ReadonlySet<string>
}

const siteOf = (url: URL) => `${url.protocol}//${url.hostname}`

/** The origins of the API and of the web frontend, and the configured ones. */
export const allowedOrigins = ({ origins, publicUrl, webUrl }: Deployment["Service"]): AllowedOrigins => {
  const allowed = [publicUrl, webUrl, ...origins.map((origin) => new URL(origin))]
  const sites = allowed.map(siteOf)
  return {
    origins: new Set(allowed.map(({ origin }) => origin)),
    // A page that came over https is at least as trustworthy as the allowed one.
    sites: new Set([...sites, ...sites.map((site) => site.replace(/^http:/, "https:"))])
  }
}

/** The headers that let a page of an allowed origin read the response. */
export const corsHeaders = (
  { origins }: AllowedOrigins,
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
  allowed: AllowedOrigins,
  request: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      ...("access-control-allow-origin" in corsHeaders(allowed, request)
        ? {
            "access-control-allow-methods": methods,
            "access-control-allow-headers": requestHeaders,
            "access-control-max-age": preflightSeconds
          }
        : {})
    }
  })

const safe = new Set(["GET", "HEAD", "OPTIONS"])

const isSameSite = (origin: string, sites: ReadonlySet<string>) => {
  const url = URL.parse(origin)
  return url !== null && sites.has(siteOf(url))
}

/**
 * Whether a page of another site sent this request, and it changes something. The service's own pages say so by
 * `Sec-Fetch-Site`, which no page can set, whatever address leads to the service. Without it the page must be of an
 * allowed origin, or of the same host on another port; what the request gives as its own `Host` proves nothing.
 * Requests without the headers that browsers send come from programs.
 */
export const isCrossSite = (
  { origins, sites }: AllowedOrigins,
  request: HttpServerRequest.HttpServerRequest
): boolean => {
  if (safe.has(request.method)) return false
  const origin = request.headers.origin?.toLowerCase()
  const site = request.headers["sec-fetch-site"]
  if (origin !== undefined && origins.has(origin)) return false
  if (site === "same-origin" || site === "none") return false
  if (origin === undefined) return site !== undefined
  return site === "cross-site" || !isSameSite(origin, sites)
}

/**
 * Whether a form was sent by a page that is none of the service's own. Forms need no permission to be sent, as other
 * requests do, so that those of the same host on another port, and of a frontend elsewhere, are refused as well.
 * Browsers say where a form is from; programs do not.
 */
export const isFromOtherPage = (
  { publicUrl }: Deployment["Service"],
  request: HttpServerRequest.HttpServerRequest
): boolean => {
  if (safe.has(request.method)) return false
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  const { origin } = request.headers
  return origin !== undefined && origin.toLowerCase() !== publicUrl.origin
}
