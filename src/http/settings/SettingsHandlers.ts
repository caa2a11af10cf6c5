import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Administration } from "../../domain/instance/Administration.ts"
import { ForumApi } from "../Api.ts"
import { isFromFrontend, peerOf } from "../pipeline/ClientAddress.ts"
import { group } from "../pipeline/HandlerGroup.ts"

/** What a request says of where it comes from, whatever the settings make of it. */
const sampleOf = (request: HttpServerRequest.HttpServerRequest) => {
  const address = peerOf(request)
  const forwarded = request.headers["x-forwarded-for"]
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  return {
    ...(address === undefined ? {} : { raw_client_address: address }),
    headers,
    ...(forwarded !== undefined && isFromFrontend(request) ? { headers_ssr: headers } : {})
  }
}

export const layer = group(
  ForumApi,
  "settings",
  Effect.fnUntraced(function* (handlers) {
    const administration = yield* Administration
    return handlers.handleAll({
      get: ({ request }) =>
        Effect.map(administration.read, (settings) => ({ ...settings, headers: sampleOf(request) })),
      update: ({ payload }) => administration.update(payload)
    })
  })
)
