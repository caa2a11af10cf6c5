/** What people may do with their notifications, and how these come to be. */
import { Context, Effect, Layer, Schema } from "effect"
import type { EventConsumer } from "../event/EventLog.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import { singlePage } from "../shared/Page.ts"
import { Transaction } from "../shared/Transaction.ts"
import { mayReadReply, mayReadThread } from "../thread/ThreadRules.ts"
import {
  type Notification,
  type NotificationChange,
  type NotificationChanges,
  type NotificationListResult,
  NotificationNotFound,
  type NotificationStatus
} from "./Notification.ts"
import { notificationsFor } from "./NotificationRules.ts"
import { NotificationStore, type StoredNotification } from "./NotificationStore.ts"

/** Whether the account may still see what the notification is about. */
const mayShow = ({ about }: StoredNotification, viewer: AccountActor) =>
  about === undefined ||
  (mayReadThread(about.thread, viewer) && (about.isThread || mayReadReply(about.post, viewer)))

const make = Effect.gen(function* () {
  const store = yield* NotificationStore
  const transaction = yield* Transaction
  const ids = yield* Ids

  const list = Effect.fn("Notifications.list")(function* (statuses: ReadonlyArray<NotificationStatus>) {
    const viewer = yield* CurrentAccount
    const stored = yield* store.list(viewer, statuses)
    const notifications = stored.filter((one) => mayShow(one, viewer)).map(({ notification }) => notification)
    return { ...singlePage(notifications.length), notifications } satisfies NotificationListResult
  })

  /** As a notification is answered by itself: without an item that has been hidden or deleted since. */
  const shown = (one: StoredNotification, viewer: AccountActor): Notification => {
    const { item, ...rest } = one.notification
    return item === undefined || mayShow(one, viewer) ? one.notification : rest
  }

  const setAll = Effect.fnUntraced(function* (
    viewer: AccountActor,
    changes: NotificationChanges["notifications"]
  ) {
    const wanted = changes.map(({ id }) => id)
    const owned = new Set(yield* store.owned(viewer.accountId, wanted))
    const missing = wanted.find((id) => !owned.has(id))
    if (missing !== undefined) {
      return yield* new NotificationNotFound({ metadata: { notification_id: missing } })
    }
    // Named twice, a notification gets what was said last.
    const last = new Map(changes.flatMap(({ id, status }) => (status === undefined ? [] : [[id, status]])))
    for (const status of ["read", "unread"] as const) {
      const changed = [...last].filter(([, wanted]) => wanted === status).map(([id]) => id)
      if (changed.length > 0) yield* store.setStatus(viewer.accountId, changed, status)
    }
  })

  const read = Effect.fnUntraced(function* (viewer: AccountActor, wanted: ReadonlyArray<NotificationId>) {
    const stored = yield* store.listByIds(viewer, wanted)
    const byId = new Map(stored.map((one) => [one.notification.id, shown(one, viewer)]))
    return wanted.flatMap((id) => byId.get(id) ?? [])
  })

  /** All are changed or, if one is not the caller's, none. */
  const updateMany = Effect.fn("Notifications.updateMany")(function* (input: NotificationChanges) {
    const viewer = yield* CurrentAccount
    yield* transaction(setAll(viewer, input.notifications))
    const changed = input.notifications.filter(({ status }) => status !== undefined).map(({ id }) => id)
    const notifications = yield* read(viewer, [...new Set(changed)])
    return { ...singlePage(notifications.length), notifications } satisfies NotificationListResult
  })

  const update = Effect.fn("Notifications.update")(function* (id: string, input: NotificationChange) {
    const viewer = yield* CurrentAccount
    const notFound = new NotificationNotFound({ metadata: { notification_id: id } })
    if (!isId(id)) return yield* notFound
    yield* transaction(setAll(viewer, [{ id, ...input }]))
    const [notification] = yield* read(viewer, [id])
    return notification === undefined ? yield* notFound : notification
  })

  /** Tells people of what happened, as the event log is read. */
  const consumer: EventConsumer = {
    name: "notifications",
    handle: Effect.fn("Notifications.consume")(function* (events) {
      const due = events.flatMap(({ event, id, occurredAt }) =>
        notificationsFor(event).map((notification) => ({ ...notification, at: occurredAt, causeId: id }))
      )
      const notifications = yield* Effect.forEach(due, (notification) =>
        Effect.map(ids.next, (id) => ({ ...notification, id: NotificationId.make(id) }))
      )
      yield* store.insert(notifications)
    })
  }

  return { list, update, updateMany, consumer } as const
})

const isId = Schema.is(NotificationId)

export class Notifications extends Context.Service<Notifications, Effect.Success<typeof make>>()(
  "forum/domain/Notifications"
) {
  static readonly layer = Layer.effect(Notifications, make)
}
