import { Effect, Layer } from "effect"
import { RefreshTokens } from "../../domain/oauthgrant/RefreshTokens.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

const own = group(
  ForumApi,
  "ownRefreshTokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* RefreshTokens
    return handlers.handleAll({
      list: (request) => inPages(request, tokens.listOwn),
      delete: ({ params }) => tokens.revokeOwn(params.oauth_refresh_token_id)
    })
  })
)

const administrative = group(
  ForumApi,
  "adminRefreshTokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* RefreshTokens
    return handlers.handleAll({
      list: (request) => inPages(request, tokens.list),
      delete: ({ params }) => tokens.revoke(params.oauth_refresh_token_id)
    })
  })
)

export const layer = Layer.merge(own, administrative)
