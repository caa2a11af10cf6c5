import { Effect } from "effect"
import { type EventConsumer, type EventSchema, makeConsumer } from "../event/EventConsumer.ts"
import { MemberMentioned, ThreadReplyCreated, ThreadReplyRevealed } from "../event/ThreadEvents.ts"
import { type AccountId, NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { type DueNotification, notificationsFor } from "./NotificationRules.ts"
import { NotificationStore } from "./NotificationStore.ts"

/** A consumer that notifies accounts of what the events that it reads lead to. */
export const makeNotifying = <const Reads extends ReadonlyArray<EventSchema>>(consumer: {
  readonly name: string
  readonly reads: Reads
  /** The notifications that an event leads to, by the event and the account that caused it. */
  readonly due: (event: Reads[number]["Type"], by: AccountId | undefined) => ReadonlyArray<DueNotification>
}): Effect.Effect<EventConsumer, never, NotificationStore | Ids> =>
  Effect.gen(function* () {
    const store = yield* NotificationStore
    const ids = yield* Ids

    return makeConsumer({
      name: consumer.name,
      reads: consumer.reads,
      handle: Effect.fn("NotificationConsumer.handle")(function* (events) {
        const due = events.flatMap(({ actorId, event, id, occurredAt }) =>
          consumer
            .due(event, actorId)
            .map((notification) => ({ ...notification, at: occurredAt, causeId: id }))
        )
        const notifications = yield* Effect.forEach(due, (notification) =>
          Effect.map(ids.next, (id) => ({ ...notification, id: NotificationId.make(id) }))
        )
        yield* store.insert(notifications)
      })
    })
  })

/** Notifies accounts of what concerns them in discussions. */
export const make = makeNotifying({
  name: "notifications",
  reads: [ThreadReplyCreated, MemberMentioned],
  due: notificationsFor
})

/** Notifies of replies that were held, when they can be read. */
export const makeRevealed = makeNotifying({
  name: "revealed replies",
  reads: [ThreadReplyRevealed],
  due: notificationsFor
})
