import { Effect } from "effect"
import { Notifications } from "../../domain/notification/Notifications.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { ForumApi } from "../Api.ts"
import { group } from "../pipeline/HandlerGroup.ts"

export const layer = group(
  ForumApi,
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const notifications = yield* Notifications
    return handlers.handleAll({
      list: ({ query }) => notifications.list(query.status ?? [], pageNumber(query.page)),
      updateMany: ({ payload }) => notifications.updateMany(payload),
      update: ({ params, payload }) => notifications.update(params.notification_id, payload)
    })
  })
)
