/**
 * What discussions show to everyone, kept apart from what only one viewer has, so that the former can
 * be read, written and cached once for all viewers. Pure.
 */
import type { ProfileReference } from "../account/Profile.ts"
import type { Timestamp } from "../field/Resource.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import type { RowKey } from "../shared/ListPlace.ts"
import type { PageEnvelope } from "../shared/Page.ts"
import { passes, type VisibilityFilter } from "../shared/Visibility.ts"
import type { Post } from "./Post.ts"
import type { Reply } from "./Reply.ts"
import type { ThreadReference } from "./Thread.ts"

/** A post without whether the viewer likes it. Its author stands apart, as one person may have written many posts. */
export interface PostContent {
  readonly shared: Omit<Post, "author" | "likes">
  readonly author: ProfileReference
  readonly likes: number
}

/** A reply without whether the viewer likes it, with the post that it answers unless that is deleted. */
export interface ReplyContent {
  readonly shared: Omit<Reply, "author" | "likes" | "reply_to">
  readonly author: ProfileReference
  readonly likes: number
  readonly quoted: ReplyContent | undefined
}

/** A thread in a list without what the viewer has read and written of it. */
export interface ThreadReferenceContent {
  readonly shared: Omit<ThreadReference, "author" | "likes" | "read_status" | "reply_status">
  readonly author: ProfileReference
  readonly likes: number
  readonly replies: number
}

/** Which replies make the pages of a thread for a viewer. */
export interface ReplySelection {
  readonly count: number
  /** Which replies these are, and for which viewer; if absent, all replies of the thread. */
  readonly only: { readonly filter: VisibilityFilter; readonly viewer: AccountId | undefined } | undefined
}

/** Where a page of replies begins: by its number or, in a walk by cursors, after the reply with this number. */
export interface ReplyPlace {
  readonly page: number
  readonly after?: number
}

/** A page of a thread, before replies that the viewer may not read are left out: some may have been hidden since. */
export interface ThreadPageContent {
  readonly thread: ThreadReferenceContent
  readonly envelope: PageEnvelope
  /** The key of the last reply of the page, if there are more. */
  readonly next: RowKey | undefined
  readonly replies: ReadonlyArray<ReplyContent>
}

/** What one viewer has of a thread; a guest has nothing. */
export interface ViewerState {
  readonly lastReadAt: Timestamp | undefined
  /** How many replies of others the viewer may read that were made after they read the thread. */
  readonly repliesSince: number
  /** How many of the replies that the viewer may read are theirs. */
  readonly replied: number
  /** How many replies the viewer may read, if not all. */
  readonly replies: number | undefined
  /** Whether a collection of the viewer contains it. */
  readonly hasCollected: boolean
}

/** The posts that the viewer likes. */
export type Liked = ReadonlySet<PostId>

/** The threads that are in collections of the viewer. */
export type Collected = ReadonlySet<PostId>

/** The replies of a page that a viewer may read; what they quote goes where it may not be read. */
export const visibleReplies = (
  { replies, thread }: ThreadPageContent,
  readable: VisibilityFilter,
  viewer: AccountId | undefined
): ReadonlyArray<ReplyContent> => {
  const isVisible = ({ author, shared }: ReplyContent) =>
    // A reply may quote the opening post, which everyone who reads the thread may read.
    shared.id === thread.shared.id ||
    passes(readable, { authorId: author.id, visibility: shared.visibility }, viewer)
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

export const postFor = (post: PostContent, liked: Liked, collected: Collected): Post => ({
  ...post.shared,
  collections: { ...post.shared.collections, has_collected: collected.has(post.shared.id) },
  author: post.author,
  likes: likesOf(post, liked)
})

/** A thread as a list shows it to a viewer. */
export const threadFor = (
  { author, likes, replies, shared }: ThreadReferenceContent,
  state: ViewerState,
  liked: Liked
): ThreadReference => ({
  ...shared,
  author,
  collections: { ...shared.collections, has_collected: state.hasCollected },
  likes: likesOf({ shared, likes }, liked),
  ...(state.lastReadAt === undefined
    ? {}
    : { read_status: { last_read_at: state.lastReadAt, replies_since: state.repliesSince } }),
  reply_status: { replies: state.replies ?? replies, replied: state.replied }
})

const withoutQuoted = (reply: Omit<ReplyContent, "quoted">, liked: Liked): Reply => ({
  ...reply.shared,
  author: reply.author,
  likes: likesOf(reply, liked)
})

export const replyFor = ({ quoted, ...reply }: ReplyContent, liked: Liked): Reply => ({
  ...withoutQuoted(reply, liked),
  ...(quoted === undefined ? {} : { reply_to: withoutQuoted(quoted, liked) })
})
