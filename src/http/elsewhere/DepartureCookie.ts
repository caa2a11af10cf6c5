/** The cookie in which a browser keeps what it needs to come back from another service. */
import { DateTime } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Deployment } from "../../domain/settings/Deployment.ts"
import { attributes } from "../pipeline/SessionCookie.ts"

/** With the prefix, which needs https, browsers take the cookie from this host only, and from no other of its domain. */
const nameIn = ({ secure }: ReturnType<typeof attributes>) =>
  secure ? "__Host-forum-elsewhere" : "forum-elsewhere"

/** The values of all such cookies: another path, or another host of the domain, may have set some, too. */
export const keptOf = (
  deployment: Deployment["Service"],
  { headers }: HttpServerRequest.HttpServerRequest
): ReadonlyArray<string> => {
  const form = new RegExp(`^ *${nameIn(attributes(deployment))}="?([^"]*)`)
  return (headers.cookie ?? "").split(";").flatMap((cookie) => form.exec(cookie)?.[1]?.trim() ?? [])
}

/** The response, which also makes the browser keep this until then. */
export const keeping = (
  deployment: Deployment["Service"],
  kept: string,
  expiresAt: DateTime.Utc,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const usual = attributes(deployment)
  return HttpServerResponse.setCookieUnsafe(response, nameIn(usual), kept, {
    ...usual,
    expires: DateTime.toDateUtc(expiresAt)
  })
}
