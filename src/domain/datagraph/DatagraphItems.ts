/** Posts, nodes, profiles and more, shown where other content refers to them: decides which of them a viewer may read. */
import { Context, Effect, Layer } from "effect"
import { firstFitting } from "../answer/AnswerRoom.ts"
import { ProfileStore } from "../profile/ProfileStore.ts"
import { type Actor, accountIdOf, holds } from "../shared/Actor.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import { pageEnvelope } from "../shared/Page.ts"
import { pageSize } from "../thread/PageBudget.ts"
import type { DatagraphItemPost, Post, PostInPart } from "../thread/Post.ts"
import { allParts, leavingOut, leavingOutOfThread, withoutText } from "../thread/PostOmission.ts"
import type { PostState } from "../thread/PostState.ts"
import { type PostItem, PostStore, type ReplyItem, type WantedPost } from "../thread/PostStore.ts"
import type { Thread, ThreadInPart } from "../thread/Thread.ts"
import {
  type Collected,
  type Liked,
  type PostContent,
  postFor,
  replyFor,
  type ThreadReferenceContent,
  threadFor
} from "../thread/ThreadContent.ts"
import { mayReadPost, mayReadThread, mayReadThreads } from "../thread/ThreadRules.ts"
import { ThreadStore, type WantedThread } from "../thread/ThreadStore.ts"
import { type ListedSummary, stateFor, tagSize } from "../thread/ThreadSummary.ts"
import type { DatagraphItemProfile, DatagraphItemReply, DatagraphItemThread } from "./DatagraphItem.ts"
import { makeNodeItems } from "./NodeItems.ts"

/** A thread and about how many bytes of an answer its parts take. */
export interface SizedThread {
  readonly summary: ListedSummary
  readonly sizes: ReadonlyArray<number>
}

const noPosts: ReadonlyMap<PostId, Post> = new Map()
const noneLiked: Liked = new Set()
const noneCollected: Collected = new Set()

const stateOf = ({ post: { author, shared }, thread }: Pick<PostItem, "post" | "thread">): PostState => ({
  id: shared.id,
  authorId: author.id,
  visibility: shared.visibility,
  thread
})

const isReadable = (item: Pick<PostItem, "post" | "thread">, viewer: Actor) =>
  mayReadPost(stateOf(item), viewer)

const isReadableReply = ({ reply, thread }: ReplyItem, viewer: Actor) =>
  isReadable({ post: reply, thread }, viewer)

/** Without the post that it answers, unless the viewer may read that. */
const withReadableQuote = ({ reply, thread }: ReplyItem, viewer: Actor) =>
  reply.quoted !== undefined && isReadable({ post: reply.quoted, thread }, viewer)
    ? reply
    : { ...reply, quoted: undefined }

const make = Effect.gen(function* () {
  const posts = yield* PostStore
  const threads = yield* ThreadStore
  const nodes = yield* makeNodeItems
  const profiles = yield* ProfileStore

  const likedOf = (
    shown: ReadonlyArray<{ readonly shared: { readonly id: PostId }; readonly likes: number }>,
    viewer: Actor
  ): Effect.Effect<Liked> => {
    const ids = shown.flatMap(({ likes, shared }) => (likes > 0 ? [shared.id] : []))
    const accountId = accountIdOf(viewer)
    return ids.length === 0 || accountId === undefined
      ? Effect.succeed(noneLiked)
      : threads.liked(accountId, ids)
  }

  const collectedOf = (
    shown: ReadonlyArray<Pick<PostContent, "shared">>,
    viewer: Actor
  ): Effect.Effect<Collected> => {
    const ids = shown.flatMap(({ shared }) => (shared.collections.in_collections > 0 ? [shared.id] : []))
    const accountId = accountIdOf(viewer)
    return ids.length === 0 || accountId === undefined
      ? Effect.succeed(noneCollected)
      : threads.collected(accountId, ids)
  }

  /** Posts that are shown to a viewer, each with the parts that are wanted of it. */
  const shownPosts = Effect.fnUntraced(function* (
    wanted: ReadonlyArray<WantedPost>,
    viewer: Actor,
    isShown: (post: PostState) => boolean
  ) {
    const found = yield* posts.findPosts(wanted)
    const shown = found.filter((item) => isShown(stateOf(item)))
    const contents = shown.map(({ post }) => post)
    const [liked, collected] = yield* Effect.all([likedOf(contents, viewer), collectedOf(contents, viewer)], {
      concurrency: "unbounded"
    })
    return shown.map(({ omitted, post, thread }) => ({
      // An item is found at its thread's address, be it the thread or a reply.
      post: { ...postFor(post, liked, collected), slug: thread.slug },
      omitted
    }))
  })

  /** The same by id, without the parts that are not wanted. */
  const postsInPart = (
    wanted: ReadonlyArray<WantedPost>,
    viewer: Actor,
    isShown: (post: PostState) => boolean
  ) =>
    Effect.map(
      shownPosts(wanted, viewer, isShown),
      (shown) =>
        new Map<PostId, PostInPart>(shown.map(({ omitted, post }) => [post.id, leavingOut(post, omitted)]))
    )

  /** Posts that the viewer may read, by id, with so many of their parts. */
  const readable = (ids: ReadonlyArray<PostId>, parts: number, viewer: Actor) =>
    mayReadThreads(viewer)
      ? Effect.map(
          shownPosts(
            ids.map((id) => ({ id, parts })),
            viewer,
            (post) => mayReadPost(post, viewer)
          ),
          (shown) => new Map(shown.map(({ post }) => [post.id, post]))
        )
      : Effect.succeed(noPosts)

  /** Posts that the viewer may read, by id. */
  const readablePosts = (ids: ReadonlyArray<PostId>, viewer: Actor) => readable(ids, allParts, viewer)

  /** The same without their texts, and only the first ones that fit into an answer, which one always does. */
  const referredPosts = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const sizes = yield* posts.sizesOf(ids)
    const sizeOf = (id: PostId) =>
      (sizes.get(id) ?? []).slice(0, withoutText).reduce((sum, size) => sum + size, 0)
    return yield* readable(firstFitting(ids, sizeOf), withoutText, viewer)
  })

  /** Posts that the viewer may read as items. */
  const findPosts = (ids: ReadonlyArray<PostId>, viewer: Actor) =>
    Effect.map(
      readablePosts(ids, viewer),
      (readable) =>
        new Map<PostId, DatagraphItemPost>(
          [...readable].map(([id, post]) => [id, { kind: "post", ref: post }])
        )
    )

  /** Replies likewise, with what they answer. */
  const findReplies = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const found = yield* posts.findReplies(ids)
    const readable = found.filter((item) => isReadableReply(item, viewer))
    const replies = readable.map((item) => withReadableQuote(item, viewer))
    const liked = yield* likedOf(
      replies.flatMap((reply) => [reply, ...(reply.quoted === undefined ? [] : [reply.quoted])]),
      viewer
    )
    return new Map<PostId, DatagraphItemReply>(
      replies.map((content) => {
        const reply = replyFor(content, liked)
        return [reply.id, { kind: "reply", ref: reply }]
      })
    )
  })

  const readableHeads = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const found = yield* threads.findHeads(ids, accountIdOf(viewer))
    const byId = new Map(found.map((summary) => [summary.id, summary]))
    return ids.flatMap((id) => {
      const summary = byId.get(id)
      return summary !== undefined && mayReadThread(summary, viewer) ? [summary] : []
    })
  })

  /** Threads likewise. Their replies are counted but not read. */
  const findThreads = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const readable = yield* readableHeads(ids, viewer)
    const byId = new Map(readable.map((summary) => [summary.id, summary]))
    return new Map<PostId, DatagraphItemThread>(
      (yield* threads.references(readable)).flatMap((content) => {
        const summary = byId.get(content.shared.id)
        return summary === undefined
          ? []
          : [[summary.id, { kind: "thread", ref: threadOf(content, summary, viewer) }]]
      })
    )
  })

  /** The parts of threads that the viewer may read, with what they take as `postPartNames` orders them. */
  const sizedThreads = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const readable = yield* readableHeads(ids, viewer)
    const sizes = yield* posts.sizesOf(readable.map(({ id }) => id))
    return readable.map((summary): SizedThread => {
      const [meta = 0, reacts = 0, text = 0] = sizes.get(summary.id) ?? []
      return { summary, sizes: [meta, reacts + tagSize * summary.tagIds.length, text] }
    })
  })

  /** Threads with so many of their parts. */
  const threadsInPart = (wanted: ReadonlyArray<WantedThread>, viewer: Actor) => {
    const byId = new Map(wanted.map(({ summary }) => [summary.id, summary]))
    return Effect.map(
      threads.referencesInPart(wanted),
      (found) =>
        new Map<PostId, ThreadInPart>(
          found.flatMap(({ omitted, reference }) => {
            const summary = byId.get(reference.shared.id)
            return summary === undefined
              ? []
              : [[summary.id, leavingOutOfThread(threadOf(reference, summary, viewer), omitted)]]
          })
        )
    )
  }

  /** Profiles that the viewer may read, by id: their own always. */
  const findProfiles = (ids: ReadonlyArray<AccountId>, viewer: Actor) =>
    Effect.map(
      profiles.findByIds(ids.filter((id) => id === accountIdOf(viewer) || holds(viewer, "READ_PROFILE"))),
      (found) =>
        new Map<AccountId, DatagraphItemProfile>(
          found.map((profile) => [profile.id, { kind: "profile", ref: profile }])
        )
    )

  return {
    ...nodes,
    findProfiles,
    postsInPart,
    readablePosts,
    referredPosts,
    findPosts,
    findReplies,
    findThreads,
    sizedThreads,
    threadsInPart
  } as const
})

const threadOf = (content: ThreadReferenceContent, summary: ListedSummary, viewer: Actor): Thread => {
  const state = stateFor(summary, viewer)
  const liked: Liked = summary.hasLikes ? new Set([summary.id]) : noneLiked
  const thread = threadFor(content, state, liked)
  const total = thread.reply_status.replies
  const envelope = pageEnvelope({ current: 1, size: pageSize, total, results: 0 })
  return { ...thread, recomentations: [], replies: { ...envelope, replies: [] } }
}

export class DatagraphItems extends Context.Service<DatagraphItems, Effect.Success<typeof make>>()(
  "forum/domain/DatagraphItems"
) {
  static readonly layer = Layer.effect(DatagraphItems, make)
}
