import { DateTime, Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { AccountId } from "../shared/Id.ts"
import { PostStore } from "./PostStore.ts"
import type { PostState } from "./PostVisibility.ts"
import { ThreadStore } from "./ThreadStore.ts"

/** Deletes posts, for somebody who may, in a transaction that has locked the thread: the thread with its opening post, or a reply. */
export const makePostRemoval = Effect.gen(function* () {
  const posts = yield* PostStore
  const threads = yield* ThreadStore
  const events = yield* EventLog

  return Effect.fnUntraced(function* (by: AccountId | undefined, post: PostState) {
    const { id, thread } = post
    const at = yield* DateTime.now
    if (id === thread.id) {
      yield* threads.delete(id, at)
      return yield* events.append(by, { _tag: "ThreadDeleted", id })
    }
    yield* posts.deleteReply(post, at)
    yield* events.append(by, { _tag: "ThreadReplyDeleted", thread_id: thread.id, reply_id: id })
  })
})
