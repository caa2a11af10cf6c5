import { Effect } from "effect"
import { AccountErasureRequested, AccountExportReady } from "../event/AccountEvents.ts"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { NotificationStore } from "./NotificationStore.ts"

const names = {
  AccountErasureRequested: "account_erasure_requested",
  AccountExportReady: "account_export_ready"
} as const

/**
 * Notifies accounts of what becomes of themselves: that they are to be erased, as whoever asked for it may not have been
 * their owner, and that their own data can be downloaded.
 */
export const make: Effect.Effect<EventConsumer, never, NotificationStore | Ids> = Effect.gen(function* () {
  const store = yield* NotificationStore
  const ids = yield* Ids

  return makeConsumer({
    name: "account notifications",
    reads: [AccountErasureRequested, AccountExportReady],
    handle: Effect.fn("AccountNotifications.handle")(function* (events) {
      const notifications = yield* Effect.forEach(events, ({ event, id: causeId, occurredAt }) =>
        Effect.map(ids.next, (id) => ({
          id: NotificationId.make(id),
          at: occurredAt,
          accountId: event.id,
          event: names[event._tag],
          causeId
        }))
      )
      yield* store.insert(notifications)
    })
  })
})
