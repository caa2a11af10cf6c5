import { DateTime, Effect } from "effect"
import { EventLog } from "../event/EventLog.ts"
import type { AccountId } from "../shared/Id.ts"
import { standingOfPost } from "./PostStanding.ts"
import { PostStore } from "./PostStore.ts"
import type { PostState } from "./PostVisibility.ts"
import { type DeletedCalendarEvent, ThreadStore } from "./ThreadStore.ts"

/** The event of the calendar that a thread belongs to is deleted with it. */
const deletedWith = (event: DeletedCalendarEvent) => ({ _tag: "CalendarEventDeleted", ...event }) as const

/** Deletes posts, for somebody who may, in a transaction that has locked the thread: the thread with its opening post, or a reply. */
export const makePostRemoval = Effect.gen(function* () {
  const posts = yield* PostStore
  const threads = yield* ThreadStore
  const events = yield* EventLog

  return Effect.fnUntraced(function* (by: AccountId | undefined, post: PostState) {
    const { id, thread } = post
    const at = yield* DateTime.now
    if (id === thread.id) {
      const calendarEvent = yield* threads.delete(id, at)
      return yield* events.append(
        by,
        { _tag: "ThreadDeleted", id, standing: standingOfPost(post) },
        ...(calendarEvent === undefined ? [] : [deletedWith(calendarEvent)])
      )
    }
    yield* posts.deleteReply(post, at)
    yield* events.append(by, {
      _tag: "ThreadReplyDeleted",
      thread_id: thread.id,
      reply_id: id,
      standing: standingOfPost(post)
    })
  })
})
