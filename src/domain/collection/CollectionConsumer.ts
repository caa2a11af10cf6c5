import { Effect } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { NodeDeleted } from "../event/LibraryEvents.ts"
import { ThreadDeleted, ThreadReplyDeleted } from "../event/ThreadEvents.ts"
import { CollectionStore } from "./CollectionStore.ts"

/** Removes deleted posts from collections, which may be many; until then they are not shown. */
export const make: Effect.Effect<EventConsumer, never, CollectionStore> = Effect.map(
  CollectionStore,
  (store) =>
    makeConsumer({
      name: "collections",
      reads: [ThreadDeleted, ThreadReplyDeleted],
      handle: (events) =>
        store.forget({
          threads: events.flatMap(({ event }) => (event._tag === "ThreadDeleted" ? [event.id] : [])),
          replies: events.flatMap(({ event }) =>
            event._tag === "ThreadReplyDeleted" ? [event.reply_id] : []
          )
        })
    })
)

/** Removes deleted nodes from all collections. */
export const makeForNodes: Effect.Effect<EventConsumer, never, CollectionStore> = Effect.map(
  CollectionStore,
  (store) =>
    makeConsumer({
      name: "collections of pages",
      reads: [NodeDeleted],
      handle: (events) => store.forget({ nodes: events.map(({ event }) => event.id) })
    })
)
