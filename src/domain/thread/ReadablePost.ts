/** Posts that a caller does something with: what they may not read, they do not find. */
import { Effect, Option } from "effect"
import { type AccountActor, checkPermission } from "../shared/Actor.ts"
import { threadMark } from "../shared/Mark.ts"
import { PostNotFound } from "./Post.ts"
import type { PostState } from "./PostState.ts"
import { PostStore } from "./PostStore.ts"
import { ThreadHidden } from "./Thread.ts"
import { mayReadReply, mayReadThread } from "./ThreadRules.ts"

/** The post that a mark names, if the caller may read it. */
export const checkReadable = (
  actor: AccountActor,
  mark: string,
  found: Option.Option<PostState>
): Effect.Effect<PostState, PostNotFound | ThreadHidden> => {
  const post = Option.getOrUndefined(found)
  const notFound = new PostNotFound({ metadata: { post_id: mark } })
  if (post === undefined) return Effect.fail(notFound)
  if (!mayReadThread(post.thread, actor)) return Effect.fail(new ThreadHidden())
  const isOpening = post.id === post.thread.id
  return isOpening || mayReadReply(post, actor) ? Effect.succeed(post) : Effect.fail(notFound)
}

/** The same if the caller may read threads at all, with the thread locked until the transaction ends. */
export const makeReadablePost = Effect.map(PostStore, (store) =>
  Effect.fnUntraced(function* (actor: AccountActor, mark: string) {
    const id = threadMark(mark)
    const found = id === undefined ? Option.none<PostState>() : yield* store.findForUpdate(id)
    if (Option.isSome(found)) yield* checkPermission(actor, "READ_PUBLISHED_THREADS")
    return yield* checkReadable(actor, mark, found)
  })
)
