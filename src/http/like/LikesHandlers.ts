import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { ItemLikeResult, ProfileLikeListResult } from "../../domain/like/Like.ts"
import { Likes } from "../../domain/like/Likes.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

// Encoding a thousand people by schema takes ten times as long as reading them. The tests hold every answer to its schema.
const written = (answer: ItemLikeResult | ProfileLikeListResult) => HttpServerResponse.jsonUnsafe(answer)

export const layer = group(
  ForumApi,
  "likes",
  Effect.fnUntraced(function* (handlers) {
    const likes = yield* Likes
    return handlers.handleAll({
      ofPost: ({ params }) => Effect.map(likes.ofPost(params.post_id), (likes) => written({ likes })),
      add: ({ params }) => likes.add(params.post_id),
      remove: ({ params }) => likes.remove(params.post_id),
      ofAccount: (request) =>
        Effect.map(
          inPages(request, (place) => likes.ofAccount(request.params.account_handle, place)),
          written
        )
    })
  })
)
