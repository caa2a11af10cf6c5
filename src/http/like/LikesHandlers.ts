import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Likes } from "../../domain/like/Likes.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { ForumApi } from "../Api.ts"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "likes",
  Effect.fnUntraced(function* (handlers) {
    const likes = yield* Likes
    return handlers.handleAll({
      ofPost: ({ params }) => Effect.map(likes.ofPost(params.post_id), (likes) => ({ likes })),
      add: ({ params }) => likes.add(params.post_id),
      remove: ({ params }) => likes.remove(params.post_id),
      ofAccount: ({ params, query }) => likes.ofAccount(params.account_handle, pageNumber(query.page))
    })
  })
)
