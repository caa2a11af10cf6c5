import { Effect } from "effect"
import { EmailQueue } from "../../domain/mail/EmailQueue.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { readTimeRange } from "../../domain/shared/TimeRange.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "mail",
  Effect.fnUntraced(function* (handlers) {
    const emails = yield* EmailQueue
    return handlers.handleAll({
      list: ({ query }) =>
        emails.list(
          {
            address: query.q ?? "",
            statuses: query.statuses ?? [],
            range: readTimeRange(query.range ?? "") ?? {}
          },
          pageNumber(query.page)
        ),
      retry: ({ params }) => emails.retry(params.email_id)
    })
  })
)
