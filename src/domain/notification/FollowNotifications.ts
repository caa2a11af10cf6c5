import { Effect } from "effect"
import { AccountFollowed } from "../event/AccountEvents.ts"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { NotificationStore } from "./NotificationStore.ts"

/** Notifies accounts of who follows them; who follows, unfollows and follows again is told of once. */
export const make: Effect.Effect<EventConsumer, never, NotificationStore | Ids> = Effect.gen(function* () {
  const store = yield* NotificationStore
  const ids = yield* Ids

  return makeConsumer({
    name: "follow notifications",
    reads: [AccountFollowed],
    handle: Effect.fn("FollowNotifications.handle")(function* (events) {
      const notifications = yield* Effect.forEach(events, ({ event, id: causeId, occurredAt }) =>
        Effect.map(ids.next, (id) => ({
          id: NotificationId.make(id),
          at: occurredAt,
          accountId: event.followed,
          event: "follow" as const,
          sourceId: event.follower,
          causeId
        }))
      )
      yield* store.insert(notifications)
    })
  })
})
