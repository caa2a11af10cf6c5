import { Effect } from "effect"
import { WebhookDeliveries } from "../../domain/webhook/WebhookDeliveries.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"
import { waitingLong } from "../pipeline/LongWait.ts"

export const layer = group(
  ForumApi,
  "webhookDeliveries",
  Effect.fnUntraced(function* (handlers) {
    const deliveries = yield* WebhookDeliveries
    return handlers.handleAll({
      test: ({ params }) => waitingLong(deliveries.test(params.webhook_id)),
      list: (request) =>
        inPages(request, (place) => deliveries.list(request.params.webhook_id, request.query.status, place)),
      get: ({ params }) => deliveries.get(params.webhook_id, params.delivery_id),
      replay: ({ params, payload }) => deliveries.replay(params.webhook_id, payload),
      retry: ({ params }) => deliveries.retry(params.webhook_id, params.delivery_id)
    })
  })
)
