import { Effect, Layer } from "effect"
import { RefreshTokens } from "../../domain/oauthgrant/RefreshTokens.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

const own = group(
  ForumApi,
  "ownRefreshTokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* RefreshTokens
    return handlers.handleAll({
      list: ({ query }) => tokens.listOwn(pageNumber(query.page)),
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
      list: ({ query }) => tokens.list(pageNumber(query.page)),
      delete: ({ params }) => tokens.revoke(params.oauth_refresh_token_id)
    })
  })
)

export const layer = Layer.merge(own, administrative)
