/** What a viewer has done with posts that are shown to them: liked them, or put them into collections. */
import { Effect } from "effect"
import { type Actor, accountIdOf } from "../shared/Actor.ts"
import type { PostId } from "../shared/Id.ts"
import type { PostContent, ReplyContent } from "./ThreadContent.ts"
import { ThreadStore } from "./ThreadStore.ts"

const none: ReadonlySet<PostId> = new Set()

/** What a viewer has done with posts. Storage is asked only about posts that anyone has liked or collected. */
export const makeViewerMarks = Effect.map(ThreadStore, (store) => {
  const marked = (
    viewer: Actor,
    posts: ReadonlyArray<{ readonly shared: { readonly id: PostId } }>,
    find: typeof store.liked
  ): Effect.Effect<ReadonlySet<PostId>> => {
    const accountId = accountIdOf(viewer)
    return posts.length === 0 || accountId === undefined
      ? Effect.succeed(none)
      : find(
          accountId,
          posts.map(({ shared }) => shared.id)
        )
  }

  /** Which of the posts the viewer likes. */
  const liked = (viewer: Actor, posts: ReadonlyArray<Pick<PostContent | ReplyContent, "shared" | "likes">>) =>
    marked(
      viewer,
      posts.filter(({ likes }) => likes > 0),
      store.liked
    )

  /** Which of the posts are in collections of the viewer. */
  const collected = (viewer: Actor, posts: ReadonlyArray<Pick<PostContent, "shared">>) =>
    marked(
      viewer,
      posts.filter(({ shared }) => shared.collections.in_collections > 0),
      store.collected
    )

  return { liked, collected } as const
})
