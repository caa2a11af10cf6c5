import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Notifications } from "../../domain/notification/Notifications.ts"
import { pageNumber } from "../../domain/shared/Page.ts"
import { ForumApi } from "../Api.ts"

export const layer = HttpApiBuilder.group(
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
