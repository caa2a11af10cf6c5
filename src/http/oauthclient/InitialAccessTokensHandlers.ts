import { Effect, Redacted } from "effect"
import { InitialAccessTokens, type IssuedInitialToken } from "../../domain/oauthclient/InitialAccessTokens.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

const issued = ({ shown, token }: IssuedInitialToken) => ({ ...shown, token: Redacted.value(token) })

export const layer = group(
  ForumApi,
  "initialAccessTokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* InitialAccessTokens
    return handlers.handleAll({
      list: () => Effect.map(tokens.list, (initial_access_tokens) => ({ initial_access_tokens })),
      create: ({ payload }) => Effect.map(tokens.create(payload), issued),
      delete: ({ params }) => tokens.revoke(params.initial_access_token_id)
    })
  })
)
