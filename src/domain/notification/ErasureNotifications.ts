import { Effect } from "effect"
import { AccountErasureRequested } from "../event/AccountEvents.ts"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { NotificationStore } from "./NotificationStore.ts"

/** Notifies accounts that they are to be erased: whoever asked for it may not have been their owner. */
export const make: Effect.Effect<EventConsumer, never, NotificationStore | Ids> = Effect.gen(function* () {
  const store = yield* NotificationStore
  const ids = yield* Ids

  return makeConsumer({
    name: "erasure notifications",
    reads: [AccountErasureRequested],
    handle: Effect.fn("ErasureNotifications.handle")(function* (events) {
      const notifications = yield* Effect.forEach(events, ({ event, id: causeId, occurredAt }) =>
        Effect.map(ids.next, (id) => ({
          id: NotificationId.make(id),
          at: occurredAt,
          accountId: event.id,
          event: "account_erasure_requested" as const,
          causeId
        }))
      )
      yield* store.insert(notifications)
    })
  })
})
