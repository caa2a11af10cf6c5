/** Tells owners of pages of drafts, and authors of drafts of what becomes of them. */
import { Effect } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import {
  NodeVersionDraftApplied,
  NodeVersionDraftCreated,
  NodeVersionDraftDeleted
} from "../event/LibraryEvents.ts"
import { type AccountId, NotificationId } from "../shared/Id.ts"
import { Ids } from "../shared/Ids.ts"
import type { NotificationEvent } from "./Notification.ts"
import { NotificationStore } from "./NotificationStore.ts"

type Happened = NodeVersionDraftApplied | NodeVersionDraftCreated | NodeVersionDraftDeleted

interface Told {
  readonly accountId: AccountId
  readonly event: NotificationEvent
  readonly sourceId: AccountId
}

const fateOf = {
  NodeVersionDraftApplied: "node_version_applied",
  NodeVersionDraftDeleted: "node_version_deleted"
} as const

/** Who is told of what happened to a draft. Nobody is told of their own actions. */
export const decideTold = (event: Happened, actorId: AccountId | undefined): ReadonlyArray<Told> => {
  const { author_id: author, owner_id: owner } = event
  const told: Told =
    event._tag === "NodeVersionDraftCreated"
      ? { accountId: owner, event: "node_version_created", sourceId: author }
      : { accountId: author, event: fateOf[event._tag], sourceId: actorId ?? author }
  return told.accountId === told.sourceId ? [] : [told]
}

export const makeVersionNotifications: Effect.Effect<EventConsumer, never, NotificationStore | Ids> =
  Effect.gen(function* () {
    const store = yield* NotificationStore
    const ids = yield* Ids

    return makeConsumer({
      name: "version notifications",
      reads: [NodeVersionDraftCreated, NodeVersionDraftApplied, NodeVersionDraftDeleted],
      handle: Effect.fn("VersionNotifications.handle")(function* (events) {
        const told = events.flatMap(({ actorId, event, id, occurredAt }) =>
          decideTold(event, actorId).map((one) => ({
            ...one,
            nodeId: event.node_id,
            at: occurredAt,
            causeId: id
          }))
        )
        const notifications = yield* Effect.forEach(told, (one) =>
          Effect.map(ids.next, (id) => ({ ...one, id: NotificationId.make(id) }))
        )
        yield* store.insert(notifications)
      })
    })
  })
