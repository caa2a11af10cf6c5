/** What the notification rules need from storage. */
import { Context, type DateTime, type Effect } from "effect"
import type { ProfileReference } from "../account/Profile.ts"
import type { Timestamp } from "../field/Resource.ts"
import type { AccountId, NodeId, NotificationId, PostId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { NotificationEvent, NotificationStatus } from "./Notification.ts"

export interface NewNotification {
  readonly id: NotificationId
  readonly at: DateTime.Utc
  readonly accountId: AccountId
  readonly event: NotificationEvent
  /** The account whose action it was; absent where it stays anonymous. */
  readonly sourceId?: AccountId
  /** The post that it shows; absent if it is about something else. */
  readonly postId?: PostId
  /** The page that it shows, if it shows no post. */
  readonly nodeId?: NodeId
  /** The account whose profile it shows, if it shows neither. */
  readonly profileId?: AccountId
  /** The reply that it is about, if it shows that reply's thread. */
  readonly replyId?: PostId
  /** The event in the log that it follows from. */
  readonly causeId: bigint
}

/** What a notification shows, and about how many bytes of an answer that takes. */
export type StoredItem = { readonly size: number } & (
  | { readonly kind: "post"; readonly id: PostId }
  | { readonly kind: "node"; readonly id: NodeId }
  | { readonly kind: "profile"; readonly id: AccountId }
)

/** A notification without what it shows. */
export interface StoredNotification {
  readonly id: NotificationId
  readonly at: Timestamp
  readonly event: NotificationEvent
  readonly status: NotificationStatus
  readonly source: ProfileReference | undefined
  readonly item: StoredItem | undefined
  /** Whether its account may read what it is about. */
  readonly isReadable: boolean
}

/** Whose notifications are read, and what that account reads. */
export interface Receiver {
  readonly accountId: AccountId
  /** Whether the account reads threads and replies at all. */
  readonly readsThreads: boolean
  /** Whether the account reads posts as moderators do. */
  readonly moderates: boolean
  /** Whether the account reads nodes of the library at all. */
  readonly readsLibrary: boolean
  /** Whether the account reads nodes as managers of the library do. */
  readonly managesLibrary: boolean
  /** Whether the account reads profiles of others. */
  readonly readsProfiles: boolean
}

export interface NotificationPage extends ListExtent {
  readonly notifications: ReadonlyArray<StoredNotification>
}

export class NotificationStore extends Context.Service<
  NotificationStore,
  {
    /**
     * Stores notifications. One that its cause has led to before is passed over, and so are one for nobody and one of a
     * follower of whom the account has such a notification. Each account keeps its newest, `notificationsMax` at
     * least, and less than `deletedAfter` more.
     */
    readonly insert: (notifications: ReadonlyArray<NewNotification>) => Effect.Effect<void>
    /** A page of the notifications that have one of these statuses and that are readable, newest first. */
    readonly list: (
      receiver: Receiver,
      statuses: ReadonlyArray<NotificationStatus>,
      place: ListPlace
    ) => Effect.Effect<NotificationPage>
    /** The notifications of the account that have these ids, readable or not, in no order. */
    readonly listByIds: (
      receiver: Receiver,
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

/** Notifications on a page. */
export const pageSize = 50

/**
 * How many of an account's notifications are kept at least. Which of them may be read is looked up to count them,
 * with each page and with each reading of the account, and takes PostgreSQL about 4 µs for one.
 */
export const notificationsMax = 1000

/** After how many new notifications of an account older ones are deleted: to find them, those that are kept are read. */
export const deletedAfter = 50
