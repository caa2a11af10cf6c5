import { Effect } from "effect"
import { pageNumber } from "../../domain/shared/Page.ts"
import { WebhookDeliveries } from "../../domain/webhook/WebhookDeliveries.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { waitingLong } from "../pipeline/LongWait.ts"

export const layer = group(
  ForumApi,
  "webhookDeliveries",
  Effect.fnUntraced(function* (handlers) {
    const deliveries = yield* WebhookDeliveries
    return handlers.handleAll({
      test: ({ params }) => waitingLong(deliveries.test(params.webhook_id)),
      list: ({ params, query }) => deliveries.list(params.webhook_id, query.status, pageNumber(query.page)),
      get: ({ params }) => deliveries.get(params.webhook_id, params.delivery_id),
      replay: ({ params, payload }) => deliveries.replay(params.webhook_id, payload),
      retry: ({ params }) => deliveries.retry(params.webhook_id, params.delivery_id)
    })
  })
)
