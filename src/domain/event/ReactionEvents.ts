/** What happens to reactions, for the event log. */
import { Schema } from "effect"
import { PostId } from "../shared/Id.ts"

/** The post, and the thread that it is in. */
const post = { post_id: PostId, root_post_id: PostId }

export const PostReacted = Schema.TaggedStruct("PostReacted", post)
export type PostReacted = typeof PostReacted.Type

export const PostUnreacted = Schema.TaggedStruct("PostUnreacted", post)
export type PostUnreacted = typeof PostUnreacted.Type
