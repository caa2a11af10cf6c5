import { Effect } from "effect"
import { Notifications } from "../../domain/notification/Notifications.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"
import { inPages } from "../pipeline/ListPlaces.ts"

export const layer = group(
  ForumApi,
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const notifications = yield* Notifications
    return handlers.handleAll({
      list: (request) => inPages(request, (place) => notifications.list(request.query.status ?? [], place)),
      updateMany: ({ payload }) => notifications.updateMany(payload),
      update: ({ params, payload }) => notifications.update(params.notification_id, payload)
    })
  })
)
