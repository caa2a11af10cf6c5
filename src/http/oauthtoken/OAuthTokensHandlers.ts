import { Effect, Redacted } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { formatScopes } from "../../domain/oauthclient/Scopes.ts"
import type { IssuedTokens } from "../../domain/oauthgrant/Grants.ts"
import { TokenEndpoint } from "../../domain/oauthtoken/TokenEndpoint.ts"
import { ForumApi } from "../Api.ts"
import { oauthCaching } from "../contract/Headers.ts"
import { given, givenSecret } from "../contract/OAuthForm.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { fromNetwork } from "../pipeline/RequestContext.ts"
import { presentedBy } from "./ClientCredentials.ts"

/** Tokens as the client gets them. */
const responseOf = ({ accessToken, expiresIn, idToken, refreshToken, scopes }: IssuedTokens) => ({
  access_token: Redacted.value(accessToken),
  token_type: "Bearer" as const,
  expires_in: expiresIn,
  scope: formatScopes(scopes),
  ...(idToken === undefined ? {} : { id_token: Redacted.value(idToken) }),
  ...(refreshToken === undefined ? {} : { refresh_token: Redacted.value(refreshToken) })
})

export const layer = group(
  ForumApi,
  "oauthTokens",
  Effect.fnUntraced(function* (handlers) {
    const endpoint = yield* TokenEndpoint
    return handlers.handleAll({
      issue: Effect.fnUntraced(function* ({ payload, request }) {
        const form = {
          grantType: given(payload.grant_type),
          scope: payload.scope,
          code: givenSecret(payload.code),
          redirectUri: given(payload.redirect_uri),
          codeVerifier: givenSecret(payload.code_verifier),
          deviceCode: givenSecret(payload.device_code),
          refreshToken: givenSecret(payload.refresh_token)
        }
        const client = yield* presentedBy(request, payload)
        const issued = yield* fromNetwork((from) => endpoint.issue({ ...form, client }, from))
        return HttpApiSchema.withHeaders({ body: responseOf(issued), headers: oauthCaching })
      })
    })
  })
)
