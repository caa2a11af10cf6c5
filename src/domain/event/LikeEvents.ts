/** What happens to likes, for the event log. */
import { Schema } from "effect"
import { AccountId, PostId } from "../shared/Id.ts"

/** The post, and the thread that it is in. */
const post = { post_id: PostId, root_post_id: PostId }

export const PostLiked = Schema.TaggedStruct("PostLiked", {
  ...post,
  post_author_id: AccountId,
  liked_by: AccountId
})
export type PostLiked = typeof PostLiked.Type

export const PostUnliked = Schema.TaggedStruct("PostUnliked", post)
export type PostUnliked = typeof PostUnliked.Type
