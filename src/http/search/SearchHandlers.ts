import { Effect } from "effect"
import { Searches } from "../../domain/search/Searches.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "datagraph",
  Effect.fnUntraced(function* (handlers) {
    const searches = yield* Searches
    return handlers.handleAll({
      search: ({ query }) =>
        searches.search({
          q: query.q,
          kinds: query.kind ?? [],
          authors: query.authors ?? [],
          categories: query.categories ?? [],
          tags: query.tags ?? [],
          page: pageNumber(query.page)
        }),
      matches: ({ query }) => searches.matches(query.q, query.kind ?? [])
    })
  })
)
