import { Effect } from "effect"
import { Links } from "../../domain/backlink/Links.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "links",
  Effect.fnUntraced(function* (handlers) {
    const links = yield* Links
    return handlers.handleAll({
      list: ({ query }) => links.list(query.q, pageNumber(query.page)),
      create: ({ payload }) => links.create(payload),
      get: ({ params }) => links.get(params.link_slug)
    })
  })
)
