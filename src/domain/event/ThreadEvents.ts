/** What happens to threads and replies, for the event log. */
import { Schema } from "effect"
import { AccountId, PostId } from "../shared/Id.ts"

/** The post, and the thread that it is in. */
const post = { post_id: PostId, root_post_id: PostId }

export const PostReacted = Schema.TaggedStruct("PostReacted", post)
export type PostReacted = typeof PostReacted.Type

export const PostUnreacted = Schema.TaggedStruct("PostUnreacted", post)
export type PostUnreacted = typeof PostUnreacted.Type

export const PostLiked = Schema.TaggedStruct("PostLiked", {
  ...post,
  post_author_id: AccountId,
  liked_by: AccountId
})
export type PostLiked = typeof PostLiked.Type

export const PostUnliked = Schema.TaggedStruct("PostUnliked", post)
export type PostUnliked = typeof PostUnliked.Type

const thread = { id: PostId }
const reply = { thread_id: PostId, reply_id: PostId }

export const ThreadPublished = Schema.TaggedStruct("ThreadPublished", thread)
export type ThreadPublished = typeof ThreadPublished.Type

export const ThreadUnpublished = Schema.TaggedStruct("ThreadUnpublished", thread)
export type ThreadUnpublished = typeof ThreadUnpublished.Type

export const ThreadUpdated = Schema.TaggedStruct("ThreadUpdated", thread)
export type ThreadUpdated = typeof ThreadUpdated.Type

export const ThreadDeleted = Schema.TaggedStruct("ThreadDeleted", thread)
export type ThreadDeleted = typeof ThreadDeleted.Type

/** The fields of events about a new reply, with the accounts that it concerns. */
const newReply = {
  ...reply,
  thread_author_id: AccountId,
  reply_author_id: AccountId,
  reply_to_author_id: Schema.optionalKey(AccountId),
  reply_to_target_id: Schema.optionalKey(PostId)
}

export const ThreadReplyCreated = Schema.TaggedStruct("ThreadReplyCreated", newReply)
export type ThreadReplyCreated = typeof ThreadReplyCreated.Type

/** A reply that was held when it was created can be read by others for the first time. */
export const ThreadReplyRevealed = Schema.TaggedStruct("ThreadReplyRevealed", newReply)
export type ThreadReplyRevealed = typeof ThreadReplyRevealed.Type

export const ThreadReplyUpdated = Schema.TaggedStruct("ThreadReplyUpdated", reply)
export type ThreadReplyUpdated = typeof ThreadReplyUpdated.Type

export const ThreadReplyPublished = Schema.TaggedStruct("ThreadReplyPublished", reply)
export type ThreadReplyPublished = typeof ThreadReplyPublished.Type

export const ThreadReplyUnpublished = Schema.TaggedStruct("ThreadReplyUnpublished", reply)
export type ThreadReplyUnpublished = typeof ThreadReplyUnpublished.Type

export const ThreadReplyDeleted = Schema.TaggedStruct("ThreadReplyDeleted", reply)
export type ThreadReplyDeleted = typeof ThreadReplyDeleted.Type

/** Moderation let others not read a post, which its author has just written, changed or published. */
export const PostHeldForReview = Schema.TaggedStruct("PostHeldForReview", {
  thread_id: PostId,
  // Absent if it is the post that opens the thread.
  reply_id: Schema.optionalKey(PostId),
  reason: Schema.Literals(["word", "repetition"]),
  // The word of the list.
  word: Schema.optionalKey(Schema.String)
})
export type PostHeldForReview = typeof PostHeldForReview.Type

export const MemberMentioned = Schema.TaggedStruct("MemberMentioned", {
  by: AccountId,
  mentioned: AccountId,
  thread_id: PostId,
  // Absent if it is the post that opens the thread.
  reply_id: Schema.optionalKey(PostId)
})
export type MemberMentioned = typeof MemberMentioned.Type
