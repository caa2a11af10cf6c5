import { Effect } from "effect"
import { Webhooks } from "../../domain/webhook/Webhooks.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

export const layer = group(
  ForumApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    return handlers.handleAll({
      list: (request) => inPages(request, webhooks.list),
      create: ({ payload }) => webhooks.create(payload),
      get: ({ params }) => webhooks.get(params.webhook_id),
      update: ({ params, payload }) => webhooks.update(params.webhook_id, payload),
      delete: ({ params }) => webhooks.remove(params.webhook_id),
      replaceSecret: ({ params }) => webhooks.replaceSecret(params.webhook_id)
    })
  })
)
