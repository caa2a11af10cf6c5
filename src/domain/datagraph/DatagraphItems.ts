/** What other content refers to, as a viewer may read it: the one place that decides which items are shown. */
import { Context, Effect, Layer } from "effect"
import { ProfileStore } from "../profile/ProfileStore.ts"
import { type Actor, accountIdOf, holds } from "../shared/Actor.ts"
import type { AccountId, PostId } from "../shared/Id.ts"
import { pageEnvelope } from "../shared/Page.ts"
import { shortenedReply } from "../thread/Excerpt.ts"
import { fitting, pageSize } from "../thread/PageBudget.ts"
import type { DatagraphItemPost, Post } from "../thread/Post.ts"
import type { PostState } from "../thread/PostState.ts"
import { type PostItem, type PostSize, PostStore, type ReplyItem } from "../thread/PostStore.ts"
import {
  type Collected,
  type Liked,
  type PostContent,
  postFor,
  replyFor,
  threadFor
} from "../thread/ThreadContent.ts"
import { type ListedHead, stateFor } from "../thread/ThreadHead.ts"
import { mayReadPost, mayReadThread, mayReadThreads } from "../thread/ThreadRules.ts"
import { ThreadStore } from "../thread/ThreadStore.ts"
import type { DatagraphItemProfile, DatagraphItemReply, DatagraphItemThread } from "./DatagraphItem.ts"
import { makeNodeItems } from "./NodeItems.ts"

const noPosts: ReadonlyMap<PostId, Post> = new Map()
const noneLiked: Liked = new Set()
const noneCollected: Collected = new Set()

const stateOf = ({ post: { author, shared }, thread }: PostItem): PostState => ({
  id: shared.id,
  authorId: author.id,
  visibility: shared.visibility,
  thread
})

const isReadable = (item: PostItem, viewer: Actor) => mayReadPost(stateOf(item), viewer)

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

  /** Those of these posts, in their order, whose whole texts fit into an answer. */
  const wholeOf = (ids: ReadonlyArray<PostId>, sizeOf: (size: PostSize) => number) =>
    Effect.map(posts.sizesOf(ids), (sizes) =>
      fitting(ids, (id) => {
        const size = sizes.get(id)
        return size === undefined ? 0 : sizeOf(size)
      })
    )

  /** Posts that are shown to a viewer, by id; `whole` names those with their whole texts. */
  const shownPosts = Effect.fnUntraced(function* (
    ids: ReadonlyArray<PostId>,
    whole: ReadonlyArray<PostId>,
    viewer: Actor,
    isShown: (post: PostState) => boolean
  ) {
    const found = yield* posts.findPosts(ids, whole)
    const shown = found.filter((item) => isShown(stateOf(item)))
    const contents = shown.map(({ post }) => post)
    const [liked, collected] = yield* Effect.all([likedOf(contents, viewer), collectedOf(contents, viewer)], {
      concurrency: "unbounded"
    })
    return new Map<PostId, Post>(
      // An item is found at its thread's address, be it the thread or a reply.
      shown.map(({ post, thread }) => [
        post.shared.id,
        { ...postFor(post, liked, collected), slug: thread.slug }
      ])
    )
  })

  /** Those that the viewer may read. */
  const readablePosts = (ids: ReadonlyArray<PostId>, whole: ReadonlyArray<PostId>, viewer: Actor) =>
    mayReadThreads(viewer)
      ? shownPosts(ids, whole, viewer, (post) => mayReadPost(post, viewer))
      : Effect.succeed(noPosts)

  /** Posts that the viewer may read, by id; from the first on, those with their whole texts that fit into an answer. */
  const findPosts = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const whole = yield* wholeOf(ids, ({ own }) => own)
    const readable = yield* readablePosts(ids, whole, viewer)
    return new Map<PostId, DatagraphItemPost>(
      [...readable].map(([id, post]) => [id, { kind: "post", ref: post }])
    )
  })

  /** Replies likewise, with what they answer. */
  const findReplies = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const whole = new Set(yield* wholeOf(ids, ({ own, quoted }) => own + quoted))
    const found = yield* posts.findReplies(ids, [...whole])
    const readable = found.filter((item) => isReadableReply(item, viewer))
    const replies = readable.map((item) => withReadableQuote(item, viewer))
    const liked = yield* likedOf(
      replies.flatMap((reply) => [reply, ...(reply.quoted === undefined ? [] : [reply.quoted])]),
      viewer
    )
    return new Map<PostId, DatagraphItemReply>(
      replies.map((content) => {
        const reply = replyFor(content, liked)
        // What one reply answers may be whole for another.
        return [reply.id, { kind: "reply", ref: whole.has(reply.id) ? reply : shortenedReply(reply) }]
      })
    )
  })

  /** Threads likewise. Their replies are counted but not read. */
  const findThreads = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const found = yield* threads.findHeads(ids, accountIdOf(viewer))
    const byId = new Map(found.map((head) => [head.id, head]))
    const readable = ids.flatMap((id) => {
      const head = byId.get(id)
      return head !== undefined && mayReadThread(head, viewer) ? [head] : []
    })
    const full = new Set(fitting(readable, ({ openingWeight }) => openingWeight))
    const contents = yield* Effect.all(
      [
        threads.references([...full], "full"),
        threads.references(
          readable.filter((head) => !full.has(head)),
          "brief"
        )
      ],
      { concurrency: "unbounded" }
    )
    return new Map<PostId, DatagraphItemThread>(
      contents.flat().flatMap((content) => {
        const head = byId.get(content.shared.id)
        return head === undefined ? [] : [[head.id, threadItem(content, head, viewer)]]
      })
    )
  })

  /** Profiles that the viewer may read, by id: their own always. Beyond what fits into an answer, they lack their long parts. */
  const findProfiles = (ids: ReadonlyArray<AccountId>, viewer: Actor) =>
    Effect.map(
      profiles.findByIds(ids.filter((id) => id === accountIdOf(viewer) || holds(viewer, "READ_PROFILE"))),
      (found) =>
        new Map<AccountId, DatagraphItemProfile>(
          found.map((profile) => [profile.id, { kind: "profile", ref: profile }])
        )
    )

  return { ...nodes, findProfiles, shownPosts, readablePosts, findPosts, findReplies, findThreads } as const
})

const threadItem = (
  content: Parameters<typeof threadFor>[0],
  head: ListedHead,
  viewer: Actor
): DatagraphItemThread => {
  const state = stateFor(head, viewer)
  const liked: Liked = head.hasLikes ? new Set([head.id]) : noneLiked
  const thread = threadFor(content, state, liked)
  const total = thread.reply_status.replies
  const envelope = pageEnvelope({ current: 1, size: pageSize, total, results: 0 })
  return { kind: "thread", ref: { ...thread, recomentations: [], replies: { ...envelope, replies: [] } } }
}

export class DatagraphItems extends Context.Service<DatagraphItems, Effect.Success<typeof make>>()(
  "forum/domain/DatagraphItems"
) {
  static readonly layer = Layer.effect(DatagraphItems, make)
}
