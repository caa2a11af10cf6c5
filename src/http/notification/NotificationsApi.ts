import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Notification,
  NotificationChange,
  NotificationChanges,
  NotificationListResult,
  NotificationNotFound,
  NotificationStatus
} from "../../domain/notification/Notification.ts"
import { PageQuery } from "../../domain/shared/Page.ts"
import { accounts } from "../shared/Access.ts"
import { operation } from "../shared/Operation.ts"

export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        page: Schema.optionalKey(
          PageQuery.annotate({ description: "Accepted and ignored: the list has one page" })
        ),
        status: Schema.optionalKey(
          Schema.Array(NotificationStatus).annotate({ description: "Only notifications with one of these" })
        )
      },
      success: NotificationListResult
    }).pipe(
      operation({
        id: "NotificationList",
        summary: "List your notifications",
        description: "All notifications of the caller, newest first.",
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
        summary: "Mark several notifications as read or unread",
        description:
          "All or none. The response has the notifications that were given a status, in the order of the request.",
        access: accounts
      })
    ),
    HttpApiEndpoint.patch("update", "/:notification_id", {
      params: { notification_id: Schema.String.annotate({ description: "The id of the notification" }) },
      payload: NotificationChange,
      success: Notification,
      error: NotificationNotFound
    }).pipe(
      operation({
        id: "NotificationUpdate",
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
