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
import { Authentication, accounts } from "../shared/Authentication.ts"
import { operation } from "../shared/Operation.ts"

export class NotificationsApi extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        page: Schema.optionalKey(
          PageQuery.annotate({ description: "Accepted and ignored: the list is whole" })
        ),
        status: Schema.optionalKey(
          Schema.Array(NotificationStatus).annotate({ description: "Only those with one of these" })
        )
      },
      success: NotificationListResult
    })
      .annotateMerge(operation("NotificationList", "List one's notifications", "All of them, newest first."))
      .annotateMerge(accounts),
    HttpApiEndpoint.patch("updateMany", "/", {
      payload: NotificationChanges,
      success: NotificationListResult,
      error: NotificationNotFound
    })
      .annotateMerge(
        operation(
          "NotificationUpdateMany",
          "Mark several notifications as read or unread",
          "All or none. The answer has exactly those that were given a status, in the order of the request."
        )
      )
      .annotateMerge(accounts),
    HttpApiEndpoint.patch("update", "/:notification_id", {
      params: { notification_id: Schema.String.annotate({ description: "The notification's id" }) },
      payload: NotificationChange,
      success: Notification,
      error: NotificationNotFound
    })
      .annotateMerge(
        operation(
          "NotificationUpdate",
          "Mark a notification as read or unread",
          "Only one's own; without a status nothing changes."
        )
      )
      .annotateMerge(accounts)
  )
  .prefix("/notifications")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({ title: "notifications", description: "What happened that concerns one" })
  ) {}
