/** Posts that a caller does something with: what they may not read, they do not find. */
import { Effect, Option } from "effect"
import type { AccountActor, Actor } from "../shared/Actor.ts"
import { threadMark } from "../shared/Mark.ts"
import { PostNotFound } from "./Post.ts"
import { PostStore } from "./PostStore.ts"
import type { PostState } from "./PostVisibility.ts"
import { ThreadHidden } from "./Thread.ts"
import { isOpening, mayReadReply, mayReadThread } from "./ThreadRules.ts"

/** Whether an actor who reads threads finds a post. */
export const decideReadable = (
  actor: Actor,
  found: Option.Option<PostState>
): "readable" | "hidden" | "not found" => {
  if (Option.isNone(found)) return "not found"
  const post = found.value
  if (!mayReadThread(post.thread, actor)) return "hidden"
  return isOpening(post) || mayReadReply(post, actor) ? "readable" : "not found"
}

/** The post that a mark names, if the caller, who may read threads, may read this post. */
export const checkReadable = Effect.fnUntraced(function* (
  actor: AccountActor,
  mark: string,
  found: Option.Option<PostState>
) {
  const decision = decideReadable(actor, found)
  if (decision === "hidden") return yield* new ThreadHidden()
  if (decision === "not found" || Option.isNone(found))
    return yield* new PostNotFound({ metadata: { post_id: mark } })
  return found.value
})

/** Finds the post that a mark names if the caller may read it, and locks its thread until the transaction ends. */
export const makeReadablePost = Effect.map(PostStore, (store) =>
  Effect.fnUntraced(function* (actor: AccountActor, mark: string) {
    const id = threadMark(mark)
    const found = id === undefined ? Option.none<PostState>() : yield* store.findForUpdate(id)
    return yield* checkReadable(actor, mark, found)
  })
)
