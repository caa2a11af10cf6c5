/** What people may do with their notifications. */
import { Context, Effect, Layer, Schema } from "effect"
import { firstFitting } from "../answer/AnswerRoom.ts"
import { DatagraphItems } from "../datagraph/DatagraphItems.ts"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { NotificationId } from "../shared/Id.ts"
import { type ListPlace, listEnvelope } from "../shared/ListPlace.ts"
import { singlePage } from "../shared/Page.ts"
import { Transaction } from "../storage/Transaction.ts"
import {
  type Notification,
  type NotificationChange,
  type NotificationChanges,
  type NotificationListResult,
  NotificationNotFound,
  NotificationStatus
} from "./Notification.ts"
import { receiverOf } from "./NotificationRules.ts"
import { NotificationStore, pageSize, type StoredItem, type StoredNotification } from "./NotificationStore.ts"

const isId = Schema.is(NotificationId)

/** What a notification shows; nothing that its receiver may not read. */
const itemOf = ({ isReadable, item }: StoredNotification): StoredItem | undefined =>
  isReadable ? item : undefined

const notificationOf = (
  { at, event, id, source, status }: StoredNotification,
  item: Notification["item"]
): Notification => ({
  id,
  created_at: at,
  event,
  ...(item === undefined ? {} : { item }),
  ...(source === undefined ? {} : { source }),
  status
})

const make = Effect.gen(function* () {
  const store = yield* NotificationStore
  const datagraph = yield* DatagraphItems
  const transaction = yield* Transaction

  /** The notifications, each with its item; without one if there is none, or none that the viewer may read. */
  const withItems = Effect.fnUntraced(function* (
    stored: ReadonlyArray<StoredNotification>,
    viewer: AccountActor
  ) {
    const items = yield* datagraph.findItems(
      stored.flatMap((one) => itemOf(one) ?? []),
      viewer
    )
    return stored.map((one) => notificationOf(one, items.get(itemOf(one)?.id ?? "")))
  })

  /** A page of the caller's notifications with these statuses; without any, of every status. */
  const list = Effect.fn("Notifications.list")(function* (
    statuses: ReadonlyArray<NotificationStatus>,
    place: ListPlace
  ) {
    const viewer = yield* CurrentAccount
    const asked = statuses.length === 0 ? NotificationStatus.literals : statuses
    const { notifications: stored, ...extent } = yield* store.list(receiverOf(viewer), asked, place)
    const shown = yield* withItems(stored, viewer)
    // What its receiver may not read any more since a moment ago.
    const notifications = shown.filter(
      ({ item }, index) => item !== undefined || stored[index]?.item === undefined
    )
    return {
      ...listEnvelope({ ...extent, place, size: pageSize, results: notifications.length }),
      notifications
    } satisfies NotificationListResult
  })

  const setAll = Effect.fnUntraced(function* (
    viewer: AccountActor,
    changes: NotificationChanges["notifications"]
  ) {
    const wanted = changes.map(({ id }) => id)
    const owned = new Set(yield* store.findForUpdate(viewer.accountId, wanted))
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

  /** Notifications by themselves: without an item that has been hidden or deleted since. */
  const read = Effect.fnUntraced(function* (viewer: AccountActor, wanted: ReadonlyArray<NotificationId>) {
    const stored = yield* store.listByIds(receiverOf(viewer), wanted)
    const byId = new Map(stored.map((one) => [one.id, one]))
    const ordered = wanted.flatMap((id) => byId.get(id) ?? [])
    // They have no pages. Those that do not fit lack their items, and say so.
    const fitting = firstFitting(ordered, ({ item }) => item?.size ?? 0)
    const others = ordered.slice(fitting.length).map(
      (one): Notification => ({
        ...notificationOf(one, undefined),
        ...(itemOf(one) !== undefined ? { misc: { omitted: ["item"] } } : {})
      })
    )
    return [...(yield* withItems(fitting, viewer)), ...others]
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

  return { list, update, updateMany } as const
})

export class Notifications extends Context.Service<Notifications, Effect.Success<typeof make>>()(
  "forum/domain/Notifications"
) {
  static readonly layer = Layer.effect(Notifications, make).pipe(Layer.provide(DatagraphItems.layer))
}
