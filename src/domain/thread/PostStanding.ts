/** What is recorded of posts with what happens to them. Pure. */
import { Option } from "effect"
import { type PostStanding, standingOf } from "../event/Standing.ts"
import type { Target, Visibility } from "../shared/Visibility.ts"
import type { PostState, ThreadState } from "./PostVisibility.ts"

/** Of the post that opens a thread; `before` is the visibility that it had, if what happened changed it. */
export const standingOfThread = (thread: Target, before?: Visibility): PostStanding => ({
  thread: standingOf(thread, before)
})

export const standingOfReply = (reply: Target, thread: Target, before?: Visibility): PostStanding => ({
  thread: standingOf(thread),
  reply: standingOf(reply, before)
})

export const standingOfPost = ({ id, thread, ...post }: PostState): PostStanding =>
  id === thread.id ? standingOfThread(thread) : standingOfReply(post, thread)

/** Of a post that may have been deleted since, which nobody may read any more. */
export const standingOfFound = (found: Option.Option<PostState>): PostStanding | null =>
  Option.match(found, { onNone: () => null, onSome: standingOfPost })

/** A post and its thread as something recorded has them. */
export const stateOfStanding = (
  ids: { readonly id: PostState["id"]; readonly threadId: ThreadState["id"] },
  { reply, thread }: PostStanding
): PostState => {
  const inThread = { id: ids.threadId, authorId: thread.author_id, visibility: thread.visibility }
  return reply === undefined
    ? { ...inThread, thread: inThread }
    : { id: ids.id, authorId: reply.author_id, visibility: reply.visibility, thread: inThread }
}
