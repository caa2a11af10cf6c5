/** What the rules of posts decide on. */
import type { PostId } from "../shared/Id.ts"
import type { Target } from "../shared/Visibility.ts"

/** The thread that a post is in. */
export interface ThreadState extends Target {
  readonly id: PostId
}

/** A thread's opening post or a reply, with the thread it is in. */
export interface PostState extends Target {
  readonly id: PostId
  readonly thread: ThreadState
}
