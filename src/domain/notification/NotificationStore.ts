/** What the notification rules need from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { ProfileReference } from "../account/Profile.ts"
import type { AccountId, NotificationId, PostId } from "../shared/Id.ts"
import type { Timestamp } from "../shared/Resource.ts"
import type { NotificationEvent, NotificationStatus } from "./Notification.ts"

export interface NewNotification {
  readonly id: NotificationId
  readonly at: DateTime.Utc
  readonly accountId: AccountId
  readonly event: NotificationEvent
  readonly sourceId: AccountId
  readonly postId: PostId
  /** The event in the log that it follows from. */
  readonly causeId: bigint
}

/** A notification without the post that it is about. */
export interface StoredNotification {
  readonly id: NotificationId
  readonly at: Timestamp
  readonly event: NotificationEvent
  readonly status: NotificationStatus
  readonly source: ProfileReference | undefined
  readonly postId: PostId | undefined
}

export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /** Stores them; one that its cause has led to before is passed over, and one for nobody. */
    readonly insert: (notifications: ReadonlyArray<NewNotification>) => Effect.Effect<void>
    /** The account's notifications of these statuses, or of any if there are none; newest first. */
    readonly list: (
      accountId: AccountId,
      statuses: ReadonlyArray<NotificationStatus>
    ) => Effect.Effect<ReadonlyArray<StoredNotification>>
    /** Those of the account's notifications that have these ids, in no order. */
    readonly listByIds: (
      accountId: AccountId,
      ids: ReadonlyArray<NotificationId>
    ) => Effect.Effect<ReadonlyArray<StoredNotification>>
    readonly setStatus: (
      accountId: AccountId,
      ids: ReadonlyArray<NotificationId>,
      status: NotificationStatus
    ) => Effect.Effect<void>
    /** Which of these ids are the account's; they stay locked until the transaction ends. */
    readonly findForUpdate: (
      accountId: AccountId,
      ids: ReadonlyArray<NotificationId>
    ) => Effect.Effect<ReadonlyArray<NotificationId>>
  }
>()("forum/domain/NotificationStore") {}
