/** What happens to threads and replies, for the event log. */
import { Schema } from "effect"
import { AccountId, PostId } from "../shared/Id.ts"
import { PostStanding } from "./Standing.ts"

// Older events lack it.
const standing = { standing: Schema.optionalKey(PostStanding) }

/** The post, and the thread that it is in. */
const post = { post_id: PostId, root_post_id: PostId }

// Null if the post had been deleted before, so that nobody could read it.
const postOrGone = { ...post, standing: Schema.optionalKey(Schema.NullOr(PostStanding)) }

export const PostReacted = Schema.TaggedStruct("PostReacted", { ...post, ...standing })
export type PostReacted = typeof PostReacted.Type

export const PostUnreacted = Schema.TaggedStruct("PostUnreacted", postOrGone)
export type PostUnreacted = typeof PostUnreacted.Type

export const PostLiked = Schema.TaggedStruct("PostLiked", {
  ...post,
  post_author_id: AccountId,
  liked_by: AccountId,
  ...standing
})
export type PostLiked = typeof PostLiked.Type

export const PostUnliked = Schema.TaggedStruct("PostUnliked", postOrGone)
export type PostUnliked = typeof PostUnliked.Type

const thread = { id: PostId, ...standing }
const reply = { thread_id: PostId, reply_id: PostId }
const standingReply = { ...reply, ...standing }

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

export const ThreadReplyCreated = Schema.TaggedStruct("ThreadReplyCreated", { ...newReply, ...standing })
export type ThreadReplyCreated = typeof ThreadReplyCreated.Type

/** A reply that was held when it was created can be read by others for the first time. */
export const ThreadReplyRevealed = Schema.TaggedStruct("ThreadReplyRevealed", newReply)
export type ThreadReplyRevealed = typeof ThreadReplyRevealed.Type

export const ThreadReplyUpdated = Schema.TaggedStruct("ThreadReplyUpdated", standingReply)
export type ThreadReplyUpdated = typeof ThreadReplyUpdated.Type

export const ThreadReplyPublished = Schema.TaggedStruct("ThreadReplyPublished", standingReply)
export type ThreadReplyPublished = typeof ThreadReplyPublished.Type

export const ThreadReplyUnpublished = Schema.TaggedStruct("ThreadReplyUnpublished", standingReply)
export type ThreadReplyUnpublished = typeof ThreadReplyUnpublished.Type

export const ThreadReplyDeleted = Schema.TaggedStruct("ThreadReplyDeleted", standingReply)
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
  reply_id: Schema.optionalKey(PostId),
  ...standing
})
export type MemberMentioned = typeof MemberMentioned.Type
