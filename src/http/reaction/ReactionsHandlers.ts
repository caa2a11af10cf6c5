import { Effect } from "effect"
import { Reactions } from "../../domain/reaction/Reactions.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "reactions",
  Effect.fnUntraced(function* (handlers) {
    const reactions = yield* Reactions
    return handlers.handleAll({
      add: ({ params, payload }) => reactions.add(params.post_id, payload),
      remove: ({ params }) => reactions.remove(params.post_id, params.react_id)
    })
  })
)
