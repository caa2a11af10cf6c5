import { Effect } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { WebhookDisabled } from "../event/WebhookEvents.ts"
import { NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { NotificationStore } from "./NotificationStore.ts"

/** Notifies accounts of webhooks of theirs that the service has disabled. */
export const make: Effect.Effect<EventConsumer, never, NotificationStore | Ids> = Effect.gen(function* () {
  const store = yield* NotificationStore
  const ids = yield* Ids

  return makeConsumer({
    name: "webhook notifications",
    reads: [WebhookDisabled],
    handle: Effect.fn("WebhookNotifications.handle")(function* (events) {
      const notifications = yield* Effect.forEach(events, ({ event, id: causeId, occurredAt }) =>
        Effect.map(ids.next, (id) => ({
          id: NotificationId.make(id),
          at: occurredAt,
          accountId: event.account_id,
          event: "webhook_disabled" as const,
          causeId
        }))
      )
      yield* store.insert(notifications)
    })
  })
})
