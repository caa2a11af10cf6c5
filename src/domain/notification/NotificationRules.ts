/** Who is notified of what, and what of it they read. Pure. */

import type { MemberMentioned, ThreadReplyCreated, ThreadReplyRevealed } from "../event/ThreadEvents.ts"
import { managesLibrary } from "../library/NodeRules.ts"
import { type AccountActor, holds } from "../shared/Actor.ts"
import type { AccountId, NodeId, PostId } from "../shared/Id.ts"
import { moderates } from "../thread/ThreadRules.ts"
import type { NotificationEvent } from "./Notification.ts"
import type { Receiver } from "./NotificationStore.ts"

export interface DueNotification {
  readonly accountId: AccountId
  readonly event: NotificationEvent
  readonly sourceId: AccountId
  /** The post that it shows; absent if it is about something else. */
  readonly postId?: PostId
  /** The page that it shows, if it shows no post. */
  readonly nodeId?: NodeId
  /** The account whose profile it shows, if it shows neither. */
  readonly profileId?: AccountId
  /** The reply that it is about, if it shows that reply's thread. */
  readonly replyId?: PostId
}

const forReply = (reply: ThreadReplyCreated | ThreadReplyRevealed): ReadonlyArray<DueNotification> => {
  const sourceId = reply.reply_author_id
  const forThreadAuthor = {
    accountId: reply.thread_author_id,
    event: "thread_reply",
    sourceId,
    postId: reply.thread_id,
    replyId: reply.reply_id
  } as const
  if (reply.reply_to_author_id === undefined) return [forThreadAuthor]
  const forReplyAuthor = {
    accountId: reply.reply_to_author_id,
    event: "reply_to_reply",
    sourceId,
    postId: reply.reply_id
  } as const
  return [forThreadAuthor, forReplyAuthor]
}

const forMention = ({ by, mentioned, reply_id, thread_id }: MemberMentioned): DueNotification => ({
  accountId: mentioned,
  event: "profile_mention",
  sourceId: by,
  postId: reply_id ?? thread_id
})

/** The notifications that an event leads to. Nobody is notified of their own actions. */
export const notificationsFor = (
  event: ThreadReplyCreated | ThreadReplyRevealed | MemberMentioned
): ReadonlyArray<DueNotification> => {
  const due = event._tag === "MemberMentioned" ? [forMention(event)] : forReply(event)
  return due.filter(({ accountId, sourceId }) => accountId !== sourceId)
}

/** What an account reads of what it is notified of, by its permissions as of now. */
export const receiverOf = (account: Pick<AccountActor, "accountId" | "permissions">): Receiver => ({
  accountId: account.accountId,
  readsThreads: holds(account, "READ_PUBLISHED_THREADS"),
  moderates: moderates(account),
  readsLibrary: holds(account, "READ_PUBLISHED_LIBRARY"),
  managesLibrary: managesLibrary(account),
  readsProfiles: holds(account, "READ_PROFILE")
})
