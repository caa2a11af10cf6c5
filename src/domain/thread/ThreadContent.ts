/**
 * What discussions show to everyone, kept apart from what only one viewer has, so that the former can
 * be read, written and cached once for all viewers. Pure.
 */
import type { AccountId, PostId } from "../shared/Id.ts"
import type { PageEnvelope } from "../shared/Page.ts"
import type { Timestamp } from "../shared/Resource.ts"
import { passes, type VisibilityFilter } from "../shared/Visibility.ts"
import type { Post } from "./Post.ts"
import type { Reply } from "./Reply.ts"
import type { ThreadReference } from "./Thread.ts"

/** A post without whether the viewer likes it. */
export interface PostContent {
  readonly shared: Omit<Post, "likes">
  readonly likes: number
}

/** A reply likewise, with the post it answers unless that is deleted. */
export interface ReplyContent {
  readonly shared: Omit<Reply, "likes" | "reply_to">
  readonly likes: number
  readonly quoted: ReplyContent | undefined
}

/** A thread in a list without what the viewer has read and written of it. */
export interface ThreadReferenceContent {
  readonly shared: Omit<ThreadReference, "likes" | "read_status" | "reply_status">
  readonly likes: number
  readonly replies: number
}

/** A page of a thread with all of its replies, before those that a viewer may not read are left out. */
export interface ThreadPageContent {
  readonly thread: ThreadReferenceContent
  readonly envelope: PageEnvelope
  readonly replies: ReadonlyArray<ReplyContent>
}

/** What one viewer has of a thread; a guest has nothing. */
export interface ViewerState {
  readonly lastReadAt: Timestamp | undefined
  /** Replies since then. */
  readonly repliesSince: number
  /** How many of its replies are the viewer's. */
  readonly replied: number
}

export const noState: ViewerState = { lastReadAt: undefined, repliesSince: 0, replied: 0 }

/** The posts that the viewer likes. */
export type Liked = ReadonlySet<PostId>

/** The replies of a page that a viewer may read; what they quote goes where it may not be read. */
export const visibleReplies = (
  { replies, thread }: ThreadPageContent,
  readable: VisibilityFilter,
  viewer: AccountId | undefined
): ReadonlyArray<ReplyContent> => {
  const isVisible = ({ shared }: ReplyContent) =>
    // A reply may quote the opening post, which everyone who reads the thread may read.
    shared.id === thread.shared.id ||
    passes(readable, { authorId: shared.author.id, visibility: shared.visibility }, viewer)
  return replies
    .filter(isVisible)
    .map((reply) =>
      reply.quoted === undefined || isVisible(reply.quoted) ? reply : { ...reply, quoted: undefined }
    )
}

/** Whether every viewer sees the same replies on a page. */
export const isSameForAll = (replies: ReadonlyArray<ReplyContent>): boolean =>
  replies.every(({ quoted, shared }) =>
    [shared, quoted?.shared].every((post) => post === undefined || post.visibility === "published")
  )

const likesOf = (
  post: { readonly shared: { readonly id: PostId }; readonly likes: number },
  liked: Liked
) => ({
  likes: post.likes,
  liked: liked.has(post.shared.id)
})

export const postFor = (post: PostContent, liked: Liked): Post => ({
  ...post.shared,
  likes: likesOf(post, liked)
})

export const replyFor = ({ quoted, ...reply }: ReplyContent, liked: Liked): Reply => ({
  ...reply.shared,
  likes: likesOf(reply, liked),
  ...(quoted === undefined ? {} : { reply_to: { ...quoted.shared, likes: likesOf(quoted, liked) } })
})
