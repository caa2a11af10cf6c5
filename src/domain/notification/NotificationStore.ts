/** What the notification rules need from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { AccountActor } from "../shared/Actor.ts"
import type { AccountId, NotificationId, PostId } from "../shared/Id.ts"
import type { Target } from "../thread/ThreadRules.ts"
import type { Notification, NotificationEvent, NotificationStatus } from "./Notification.ts"

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

/** A notification with what decides whether its item may be shown. */
export interface StoredNotification {
  readonly notification: Notification
  readonly about: { readonly post: Target; readonly thread: Target; readonly isThread: boolean } | undefined
}

export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /** Keeps them; one that its cause has led to before is passed over, and one for nobody. */
    readonly insert: (notifications: ReadonlyArray<NewNotification>) => Effect.Effect<void>
    /** The account's notifications of these statuses, newest first; those whose item is gone are left out. */
    readonly list: (
      viewer: AccountActor,
      statuses: ReadonlyArray<NotificationStatus>
    ) => Effect.Effect<ReadonlyArray<StoredNotification>>
    /** Those of the account's notifications that have these ids, in no order; without their item if it is gone. */
    readonly listByIds: (
      viewer: AccountActor,
      ids: ReadonlyArray<NotificationId>
    ) => Effect.Effect<ReadonlyArray<StoredNotification>>
    readonly setStatus: (
      accountId: AccountId,
      ids: ReadonlyArray<NotificationId>,
      status: NotificationStatus
    ) => Effect.Effect<void>
    /** Which of these ids are the account's; they are held until the transaction ends. */
    readonly owned: (
      accountId: AccountId,
      ids: ReadonlyArray<NotificationId>
    ) => Effect.Effect<ReadonlyArray<NotificationId>>
  }
>()("forum/domain/NotificationStore") {}
