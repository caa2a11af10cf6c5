/** Issues tokens for whatever clients ask with, and tells and ends what was issued (RFC 6749, 7009 and 7662). */
import { Context, Effect, Layer } from "effect"
import { makeCodeExchange } from "../oauthcode/CodeExchange.ts"
import { deviceGrant } from "../oauthdevice/DeviceRules.ts"
import { ClientAuthentication } from "../oauthgrant/ClientAuthentication.ts"
import { Grants } from "../oauthgrant/Grants.ts"
import { missing, switchedOff } from "../oauthgrant/Refusals.ts"
import { Deployment } from "../settings/Deployment.ts"
import type { ClientNetwork } from "../shared/Client.ts"
import { OAuthError } from "../shared/OAuthError.ts"
import { makeDeviceExchange } from "./DeviceExchange.ts"
import { makeOwnExchange } from "./OwnExchange.ts"
import { makeRefreshExchange } from "./RefreshExchange.ts"
import type { TokenRequest } from "./TokenRequest.ts"

const make = Effect.gen(function* () {
  const { oauthEnabled } = yield* Deployment
  const code = yield* makeCodeExchange
  const refresh = yield* makeRefreshExchange
  const own = yield* makeOwnExchange
  const device = yield* makeDeviceExchange

  /** Issues tokens. */
  const issue = Effect.fn("TokenEndpoint.issue")(function* (request: TokenRequest, from: ClientNetwork) {
    if (!oauthEnabled) return yield* switchedOff
    switch (request.grantType) {
      case undefined:
        return yield* missing("grant_type")
      case "authorization_code":
        return yield* code(request, from)
      case "refresh_token":
        return yield* refresh(request, from)
      case "client_credentials":
        return yield* own(request, from)
      case deviceGrant:
        return yield* device(request, from)
      default:
        return yield* new OAuthError({
          error: "unsupported_grant_type",
          error_description: "The service knows no such grant"
        })
    }
  })

  return { issue } as const
})

export class TokenEndpoint extends Context.Service<TokenEndpoint, Effect.Success<typeof make>>()(
  "forum/domain/TokenEndpoint"
) {
  static readonly layer = Layer.effect(TokenEndpoint, make).pipe(
    Layer.provide(Layer.merge(Grants.layer, ClientAuthentication.layer))
  )
}
