/** Posts that other content refers to, as a viewer may read them. */
import { Effect } from "effect"
import { firstFitting } from "../answer/AnswerRoom.ts"
import type { Actor } from "../shared/Actor.ts"
import type { PostId } from "../shared/Id.ts"
import type { DatagraphItemPost, Post, PostInPart } from "../thread/Post.ts"
import { allParts, leavingOut, withoutText } from "../thread/PostOmission.ts"
import { type PostItem, PostStore, type ReplyItem, type WantedPost } from "../thread/PostStore.ts"
import type { PostState } from "../thread/PostVisibility.ts"
import { type Collected, type Liked, postFor, replyFor } from "../thread/ThreadContent.ts"
import { mayReadPost, mayReadThreads } from "../thread/ThreadRules.ts"
import { makeViewerMarks } from "../thread/ViewerMarks.ts"
import type { DatagraphItemReply } from "./DatagraphItem.ts"

const noPosts: ReadonlyMap<PostId, Post> = new Map()

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

/** A reply, without the post that it quotes if the viewer may not read that post. */
const withReadableQuote = ({ reply, thread }: ReplyItem, viewer: Actor) =>
  reply.quoted !== undefined && isReadable({ post: reply.quoted, thread }, viewer)
    ? reply
    : { ...reply, quoted: undefined }

/** A post as an item, which is found at its thread's address, be it the thread or a reply. */
const shownPost = ({ post, thread }: PostItem, liked: Liked, collected: Collected): Post => ({
  ...postFor(post, liked, collected),
  slug: thread.slug
})

export const makePostItems = Effect.gen(function* () {
  const posts = yield* PostStore
  const marks = yield* makeViewerMarks

  /** Posts that are shown to a viewer, each with the parts that are wanted of it. */
  const shownPosts = Effect.fnUntraced(function* (
    wanted: ReadonlyArray<WantedPost>,
    viewer: Actor,
    isShown: (post: PostState) => boolean
  ) {
    const found = yield* posts.findPosts(wanted)
    const shown = found.filter((item) => isShown(stateOf(item)))
    const contents = shown.map(({ post }) => post)
    const [liked, collected] = yield* Effect.all(
      [marks.liked(viewer, contents), marks.collected(viewer, contents)],
      { concurrency: "unbounded" }
    )
    return shown.map((item) => ({ post: shownPost(item, liked, collected), omitted: item.omitted }))
  })

  /** Posts that are shown to a viewer, by id, without the parts that are not wanted. */
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

  /** Posts that the viewer may read, by id, without their texts, and only the first ones that fit into an answer, which one always does. */
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

  /** The replies that the viewer may read, as items, with the posts that they quote. */
  const findReplies = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>, viewer: Actor) {
    const found = yield* posts.findReplies(ids)
    const readable = found.filter((item) => isReadableReply(item, viewer))
    const replies = readable.map((item) => withReadableQuote(item, viewer))
    const liked = yield* marks.liked(
      viewer,
      replies.flatMap((reply) => [reply, ...(reply.quoted === undefined ? [] : [reply.quoted])])
    )
    return new Map<PostId, DatagraphItemReply>(
      replies.map((content) => {
        const reply = replyFor(content, liked)
        return [reply.id, { kind: "reply", ref: reply }]
      })
    )
  })

  return { postsInPart, readablePosts, referredPosts, findPosts, findReplies } as const
})
