import { Effect } from "effect"
import { Purges } from "../../domain/moderation/Purges.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "moderationActions",
  Effect.fnUntraced(function* (handlers) {
    const purges = yield* Purges
    return handlers.handleAll({ create: ({ payload }) => purges.purge(payload) })
  })
)
