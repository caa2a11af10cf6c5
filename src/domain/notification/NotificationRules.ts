/** Who is told of what (contract: identity 13). Pure. */
import type { DomainEvent } from "../event/DomainEvent.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import type { NotificationEvent } from "./Notification.ts"

export interface DueNotification {
  readonly accountId: AccountId
  readonly event: NotificationEvent
  readonly sourceId: AccountId
  readonly postId: PostId
}

/** Nobody is told of what they did themselves. */
export const notificationsFor = (event: DomainEvent): ReadonlyArray<DueNotification> => {
  switch (event._tag) {
    case "ThreadReplyCreated": {
      const sourceId = event.reply_author_id
      const replied: ReadonlyArray<DueNotification> = [
        { accountId: event.thread_author_id, event: "thread_reply", sourceId, postId: event.thread_id }
      ]
      const answered: ReadonlyArray<DueNotification> =
        event.reply_to_author_id === undefined
          ? []
          : [
              {
                accountId: event.reply_to_author_id,
                event: "reply_to_reply",
                sourceId,
                postId: event.reply_id
              }
            ]
      return [...replied, ...answered].filter(({ accountId }) => accountId !== sourceId)
    }
    case "MemberMentioned":
      return event.mentioned === event.by
        ? []
        : [
            {
              accountId: event.mentioned,
              event: "profile_mention",
              sourceId: event.by,
              postId: event.thread_id
            }
          ]
    default:
      return []
  }
}
