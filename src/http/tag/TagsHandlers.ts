import { Effect } from "effect"
import { pageNumber } from "../../domain/shared/Page.ts"
import { Tags } from "../../domain/tag/Tags.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "tags",
  Effect.fnUntraced(function* (handlers) {
    const tags = yield* Tags
    return handlers.handleAll({
      list: ({ query }) => tags.list(query.q, pageNumber(query.page)),
      get: ({ params }) => tags.get(params.tag_name)
    })
  })
)
