/** Posts that a caller does something with: what they may not read, they do not find. */
import { Effect, Option } from "effect"
import { type AccountActor, type Actor, checkPermission } from "../shared/Actor.ts"
import { threadMark } from "../shared/Mark.ts"
import { PostNotFound } from "./Post.ts"
import type { PostState } from "./PostState.ts"
import { PostStore } from "./PostStore.ts"
import { ThreadHidden } from "./Thread.ts"
import { mayReadReply, mayReadThread } from "./ThreadRules.ts"

/** Whether an actor who reads threads finds a post. */
export const decideReadable = (
  actor: Actor,
  found: Option.Option<PostState>
): "readable" | "hidden" | "not found" => {
  if (Option.isNone(found)) return "not found"
  const post = found.value
  if (!mayReadThread(post.thread, actor)) return "hidden"
  return post.id === post.thread.id || mayReadReply(post, actor) ? "readable" : "not found"
}

/** The post that a mark names, if the caller may read it. */
export const checkReadable = (
  actor: AccountActor,
  mark: string,
  found: Option.Option<PostState>
): Effect.Effect<PostState, PostNotFound | ThreadHidden> => {
  const decision = decideReadable(actor, found)
  if (decision === "hidden") return Effect.fail(new ThreadHidden())
  return decision === "readable" && Option.isSome(found)
    ? Effect.succeed(found.value)
    : Effect.fail(new PostNotFound({ metadata: { post_id: mark } }))
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
