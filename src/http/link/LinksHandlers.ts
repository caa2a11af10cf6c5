import { Effect } from "effect"
import { Links } from "../../domain/backlink/Links.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

export const layer = group(
  ForumApi,
  "links",
  Effect.fnUntraced(function* (handlers) {
    const links = yield* Links
    return handlers.handleAll({
      list: (request) => inPages(request, (place) => links.list(request.query.q, place)),
      create: ({ payload }) => links.create(payload),
      get: ({ params }) => links.get(params.link_slug)
    })
  })
)
