import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { SignInsElsewhere } from "../../domain/elsewhere/SignInsElsewhere.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { ForumApi } from "../Api.ts"
import { undeclaredCaching } from "../contract/Headers.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { makeSessionCookie } from "../pipeline/SessionCookie.ts"
import { keeping, keptOf } from "./DepartureCookie.ts"

export const layer = group(
  ForumApi,
  "signInsElsewhere",
  Effect.fnUntraced(function* (handlers) {
    const signIns = yield* SignInsElsewhere
    const deployment = yield* Deployment
    const { signedInWith } = yield* makeSessionCookie

    const begin = Effect.fnUntraced(function* (provider: string, invitation: string | undefined) {
      const { expiresAt, kept, location } = yield* signIns.begin(provider, invitation)
      const response = HttpServerResponse.empty({
        status: 302,
        headers: { location, "cache-control": undeclaredCaching }
      })
      return keeping(deployment, kept, expiresAt, response)
    })

    return handlers.handleAll({
      begin: ({ params, query }) => begin(params.oauth_provider, query.invitation_id),
      finish: ({ params, payload, request }) =>
        Effect.flatMap(
          fromNetwork((from) =>
            signIns.finish(params.oauth_provider, payload, keptOf(deployment, request), from)
          ),
          signedInWith
        )
    })
  })
)
