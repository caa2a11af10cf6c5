import { Effect } from "effect"
import { Tags } from "../../domain/tag/Tags.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

export const layer = group(
  ForumApi,
  "tags",
  Effect.fnUntraced(function* (handlers) {
    const tags = yield* Tags
    return handlers.handleAll({
      list: (request) => inPages(request, (place) => tags.list(request.query.q, place)),
      get: ({ params }) => tags.get(params.tag_name)
    })
  })
)
