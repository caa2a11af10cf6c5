import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Authorisations } from "../../domain/oauthcode/Authorisations.ts"
import { Deployment } from "../../domain/settings/Deployment.ts"
import { CurrentActor } from "../../domain/shared/Actor.ts"
import { ForumApi } from "../Api.ts"
import { undeclaredCaching } from "../contract/Headers.ts"
import { given } from "../contract/OAuthForm.ts"
import { returnCookie } from "../page/ReturnCookie.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"

export const layer = group(
  ForumApi,
  "authorisations",
  Effect.fnUntraced(function* (handlers) {
    const authorisations = yield* Authorisations
    const deployment = yield* Deployment

    return handlers.handleAll({
      begin: Effect.fnUntraced(function* ({ query, request }) {
        const actor = yield* CurrentActor
        const asked = {
          responseType: given(query.response_type),
          clientId: given(query.client_id),
          redirectUri: given(query.redirect_uri),
          scope: given(query.scope),
          state: query.state,
          nonce: query.nonce,
          challenge: given(query.code_challenge),
          challengeMethod: given(query.code_challenge_method)
        }
        const next = yield* fromNetwork((from) => authorisations.begin(actor, asked, from))
        const response = HttpServerResponse.empty({
          status: 302,
          headers: { location: next.location, "cache-control": undeclaredCaching }
        })
        return next._tag === "SignIn" ? returnCookie(deployment, request.url)(response) : response
      }),
      show: ({ query }) => authorisations.show(query.request_id),
      decide: ({ payload }) => authorisations.decide(payload.request_id, payload.decision)
    })
  })
)
