import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"

/** Adds links (RFC 8288) to what the response says in its header `Link`; they may depend on the address of the request. */
export const addLinks = (
  linksAt: (url: string) => string
): Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> =>
  HttpEffect.appendPreResponseHandler(({ originalUrl }, response) => {
    const { link } = response.headers
    const links = linksAt(originalUrl)
    return Effect.succeed(
      HttpServerResponse.setHeader(response, "link", link === undefined ? links : `${link}, ${links}`)
    )
  })
