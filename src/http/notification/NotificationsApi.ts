import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import {
  Notification,
  NotificationChange,
  NotificationChanges,
  NotificationListResult,
  NotificationNotFound,
  NotificationStatus
} from "../../domain/notification/Notification.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { accounts } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...pagedQuery,
        status: Schema.optionalKey(
          Schema.Array(NotificationStatus)
            .check(Schema.isMaxLength(10))
            .annotate({ description: "Only notifications with one of these" })
        )
      },
      success: NotificationListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "NotificationList",
        cost: "quick",
        summary: "List your notifications",
        description:
          "The caller's notifications, newest first; 50 on a page. Those about posts that the caller may not read, or not any more, are left out. At least the newest 1,000 are kept. Items are whole. A page has fewer notifications where they are large, so that an answer has about 2 MiB; `next_page` goes on with the next one.",
        access: accounts
      })
    ),
    HttpApiEndpoint.patch("updateMany", "/", {
      payload: NotificationChanges,
      success: NotificationListResult,
      error: NotificationNotFound
    }).pipe(
      operation({
        id: "NotificationUpdateMany",
        cost: "write",
        summary: "Mark several notifications as read or unread",
        description:
          "At most 200, all or none. The response has the notifications that were given a status, in the order of the request; they have no pages, so that those after about 2 MiB of items lack `item`, which their `misc.omitted` names.",
        access: accounts
      })
    ),
    HttpApiEndpoint.patch("update", "/:notification_id", {
      params: { notification_id: Text.mark({ description: "The id of the notification" }) },
      payload: NotificationChange,
      success: Notification,
      error: NotificationNotFound
    }).pipe(
      operation({
        id: "NotificationUpdate",
        cost: "write",
        summary: "Mark a notification as read or unread",
        description: "A notification of the caller. Without a status nothing changes.",
        access: accounts
      })
    )
  )
  .prefix("/notifications")
  .annotateMerge(
    OpenApi.annotations({ title: "notifications", description: "Events that concern the caller" })
  ) {}
