import { Effect } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { MemberMentioned, ThreadReplyCreated } from "../thread/ThreadEvents.ts"
import { notificationsFor } from "./NotificationRules.ts"
import { NotificationStore } from "./NotificationStore.ts"

/** Notifies accounts of what concerns them. */
export const make: Effect.Effect<EventConsumer, never, NotificationStore | Ids> = Effect.gen(function* () {
  const store = yield* NotificationStore
  const ids = yield* Ids

  return makeConsumer({
    name: "notifications",
    reads: [ThreadReplyCreated, MemberMentioned],
    handle: Effect.fn("NotificationConsumer.handle")(function* (events) {
      const due = events.flatMap(({ event, id, occurredAt }) =>
        notificationsFor(event).map((notification) => ({ ...notification, at: occurredAt, causeId: id }))
      )
      const notifications = yield* Effect.forEach(due, (notification) =>
        Effect.map(ids.next, (id) => ({ ...notification, id: NotificationId.make(id) }))
      )
      yield* store.insert(notifications)
    })
  })
})
