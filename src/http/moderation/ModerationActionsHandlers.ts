import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Purges } from "../../domain/moderation/Purges.ts"
import { ForumApi } from "../Api.ts"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "moderationActions",
  Effect.fnUntraced(function* (handlers) {
    const purges = yield* Purges
    return handlers.handleAll({ create: ({ payload }) => purges.purge(payload) })
  })
)
