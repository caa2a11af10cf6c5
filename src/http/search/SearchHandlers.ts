import { Effect } from "effect"
import { Searches } from "../../domain/search/Searches.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

export const layer = group(
  ForumApi,
  "datagraph",
  Effect.fnUntraced(function* (handlers) {
    const searches = yield* Searches
    return handlers.handleAll({
      search: (request) => {
        const { authors = [], categories = [], kind: kinds = [], q, tags = [] } = request.query
        return inPages(request, (place) => searches.search({ q, kinds, authors, categories, tags, place }))
      },
      matches: ({ query }) => searches.matches(query.q, query.kind ?? [])
    })
  })
)
