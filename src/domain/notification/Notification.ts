import { Schema } from "effect"
import { ProfileReference } from "../account/Profile.ts"
import { DatagraphItemNode, DatagraphItemProfile } from "../datagraph/DatagraphItem.ts"
import { onePage, withExample } from "../field/Example.ts"
import { omittedMisc, Timestamp } from "../field/Resource.ts"
import { NotificationId } from "../shared/Id.ts"
import { PageFields } from "../shared/Page.ts"
import { Problem } from "../shared/Problem.ts"
import { DatagraphItemPost } from "../thread/Post.ts"
import { threadReply } from "./NotificationExamples.ts"

export const NotificationEvent = Schema.Literals([
  "thread_reply",
  "reply_to_reply",
  "post_like",
  "follow",
  "profile_mention",
  "event_host_added",
  "member_attending_event",
  "member_declined_event",
  "attendee_removed",
  "report_submitted",
  "report_updated",
  "warning_issued",
  "node_version_created",
  "node_version_applied",
  "node_version_deleted",
  "trail_run_attention",
  "webhook_disabled",
  "account_erasure_requested",
  "account_export_ready"
]).annotate({
  identifier: "NotificationEvent",
  description: "What happened"
})
export type NotificationEvent = typeof NotificationEvent.Type

export const NotificationStatus = Schema.Literals(["unread", "read"]).annotate({
  identifier: "NotificationStatus",
  description: "Whether the notification has been read"
})
export type NotificationStatus = typeof NotificationStatus.Type

/** An event that an account is notified of. */
export const Notification = Schema.Struct({
  id: NotificationId,
  misc: Schema.optionalKey(omittedMisc),
  created_at: Timestamp.annotateKey({ description: "When it happened" }),
  event: NotificationEvent,
  item: Schema.optionalKey(
    Schema.Union([DatagraphItemPost, DatagraphItemNode, DatagraphItemProfile])
  ).annotateKey({
    description:
      "What it happened to; absent if it is neither a post, a page nor an account, or one that the receiver may not read any more"
  }),
  source: Schema.optionalKey(ProfileReference).annotateKey({ description: "Who did it" }),
  target: Schema.optionalKey(Schema.String.annotate({ description: "What it concerns that is no item" })),
  status: NotificationStatus
})
  .annotate({
    identifier: "Notification",
    description: "An event that an account is notified of"
  })
  .pipe(withExample(threadReply))
export interface Notification extends Schema.Schema.Type<typeof Notification> {}

export const NotificationListResult = Schema.Struct({
  ...PageFields,
  notifications: Schema.Array(Notification)
})
  .annotate({
    identifier: "NotificationListResult",
    description: "Notifications of the caller: of a page, newest first, or those that were changed"
  })
  .pipe(withExample({ ...onePage, notifications: [threadReply] }))
export interface NotificationListResult extends Schema.Schema.Type<typeof NotificationListResult> {}

export const NotificationChange = Schema.Struct({
  status: Schema.optionalKey(NotificationStatus)
})
  .annotate({
    identifier: "NotificationMutableProps",
    description: "The new status; nothing changes without one"
  })
  .pipe(withExample({ status: "read" }))
export interface NotificationChange extends Schema.Schema.Type<typeof NotificationChange> {}

/** Notifications that one request may change. */
const changesMax = 200

export const NotificationChanges = Schema.Struct({
  notifications: Schema.Array(
    Schema.Struct({ id: NotificationId, status: Schema.optionalKey(NotificationStatus) }).annotate({
      identifier: "NotificationMutation",
      description: "A notification and its new status; without one it stays as it is"
    })
  ).check(Schema.isMaxLength(changesMax))
})
  .annotate({
    identifier: "NotificationListUpdate",
    description: "Notifications by id, each with its new status"
  })
  .pipe(withExample({ notifications: [{ id: threadReply.id, status: "read" }] }))
export interface NotificationChanges extends Schema.Schema.Type<typeof NotificationChanges> {}

export class NotificationNotFound extends Problem<NotificationNotFound>()("NotificationNotFound", {
  status: 404,
  title: "There is no such notification",
  explanation: "None of the caller's notifications has this id.",
  metadata: { notification_id: Schema.String }
}) {}
