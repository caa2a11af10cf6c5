/** What people may do with their notifications. */
import { Context, Effect, Layer, Schema } from "effect"
import { type AccountActor, CurrentAccount } from "../shared/Actor.ts"
import { NotificationId } from "../shared/Id.ts"
import { singlePage } from "../shared/Page.ts"
import { Transaction } from "../shared/Transaction.ts"
import { type PostItem, PostStore } from "../thread/PostStore.ts"
import { type Liked, postFor } from "../thread/ThreadContent.ts"
import { mayReadReply, mayReadThread } from "../thread/ThreadRules.ts"
import { ThreadStore } from "../thread/ThreadStore.ts"
import {
  type Notification,
  type NotificationChange,
  type NotificationChanges,
  type NotificationListResult,
  NotificationNotFound,
  type NotificationStatus
} from "./Notification.ts"
import { NotificationStore, type StoredNotification } from "./NotificationStore.ts"

const mayShow = ({ post: { shared }, thread }: PostItem, viewer: AccountActor) =>
  mayReadThread(thread, viewer) &&
  (shared.id === thread.id ||
    mayReadReply({ authorId: shared.author.id, visibility: shared.visibility }, viewer))

const make = Effect.gen(function* () {
  const store = yield* NotificationStore
  const posts = yield* PostStore
  const threads = yield* ThreadStore
  const transaction = yield* Transaction

  /** The posts that these are about and that the viewer may read, as the viewer sees them. */
  const itemsOf = Effect.fnUntraced(function* (
    stored: ReadonlyArray<StoredNotification>,
    viewer: AccountActor
  ) {
    const items = yield* posts.findPosts([...new Set(stored.flatMap(({ postId }) => postId ?? []))])
    const shown = items.filter((item) => mayShow(item, viewer))
    const ids = shown.flatMap(({ post }) => (post.likes > 0 ? [post.shared.id] : []))
    const liked = ids.length === 0 ? noneLiked : yield* threads.liked(viewer.accountId, ids)
    return new Map(
      shown.map(({ post, thread }) => [
        post.shared.id,
        // An item is found at its thread's address, be it the thread or a reply.
        { kind: "post", ref: { ...postFor(post, liked), slug: thread.slug } } as const
      ])
    )
  })

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

  const list = Effect.fn("Notifications.list")(function* (statuses: ReadonlyArray<NotificationStatus>) {
    const viewer = yield* CurrentAccount
    const stored = yield* store.list(viewer.accountId, statuses)
    const items = yield* itemsOf(stored, viewer)
    const notifications = stored.flatMap((one) => {
      const item = one.postId === undefined ? undefined : items.get(one.postId)
      return one.postId !== undefined && item === undefined ? [] : [notificationOf(one, item)]
    })
    return { ...singlePage(notifications.length), notifications } satisfies NotificationListResult
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
    const stored = yield* store.listByIds(viewer.accountId, wanted)
    const items = yield* itemsOf(stored, viewer)
    const byId = new Map(
      stored.map((one) => [
        one.id,
        notificationOf(one, one.postId === undefined ? undefined : items.get(one.postId))
      ])
    )
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

  return { list, update, updateMany } as const
})

const isId = Schema.is(NotificationId)

const noneLiked: Liked = new Set()

export class Notifications extends Context.Service<Notifications, Effect.Success<typeof make>>()(
  "forum/domain/Notifications"
) {
  static readonly layer = Layer.effect(Notifications, make)
}
