import { Effect } from "effect"
import { EmailQueue } from "../../domain/mail/EmailQueue.ts"
import { readTimeRange } from "../../domain/shared/TimeRange.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

export const layer = group(
  ForumApi,
  "mail",
  Effect.fnUntraced(function* (handlers) {
    const emails = yield* EmailQueue
    return handlers.handleAll({
      list: (request) => {
        const { q = "", range, statuses = [] } = request.query
        const filter = { address: q, statuses, range: readTimeRange(range ?? "") ?? {} }
        return inPages(request, (place) => emails.list(filter, place))
      },
      retry: ({ params }) => emails.retry(params.email_id)
    })
  })
)
