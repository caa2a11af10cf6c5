/** Tells authors that their posts are liked. */
import { Effect } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { PostLiked } from "../event/ThreadEvents.ts"
import { NotificationStore } from "../notification/NotificationStore.ts"
import { NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"

/** Notifies authors of likes by others. Storage sees to it that they are told once of who likes again. */
export const make: Effect.Effect<EventConsumer, never, NotificationStore | Ids> = Effect.gen(function* () {
  const store = yield* NotificationStore
  const ids = yield* Ids

  return makeConsumer({
    name: "like notifications",
    reads: [PostLiked],
    handle: Effect.fn("LikeNotifications.handle")(function* (events) {
      const byOthers = events.filter(({ event }) => event.liked_by !== event.post_author_id)
      const notifications = yield* Effect.forEach(byOthers, ({ event, id: causeId, occurredAt }) =>
        Effect.map(ids.next, (id) => ({
          id: NotificationId.make(id),
          at: occurredAt,
          accountId: event.post_author_id,
          event: "post_like" as const,
          sourceId: event.liked_by,
          postId: event.post_id,
          causeId
        }))
      )
      yield* store.insert(notifications)
    })
  })
})
