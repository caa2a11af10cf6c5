import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Searches } from "../../domain/search/Searches.ts"
import { ForumApi } from "../Api.ts"

export const layer = HttpApiBuilder.group(
  ForumApi,
  "datagraph",
  Effect.fnUntraced(function* (handlers) {
    const searches = yield* Searches
    return handlers.handleAll({
      matches: ({ query }) => searches.matches(query.q, query.kind ?? [])
    })
  })
)
