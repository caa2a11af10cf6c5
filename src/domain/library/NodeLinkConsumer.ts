import { DateTime, Effect } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import { NodeCreated, NodeUpdated } from "../event/LibraryEvents.ts"
import { LinkFetchStore } from "../link/LinkFetchStore.ts"

/** Lets the web pages be read that nodes are about, and link to. */
export const make: Effect.Effect<EventConsumer, never, LinkFetchStore> = Effect.map(LinkFetchStore, (store) =>
  makeConsumer({
    name: "link fetches of pages",
    reads: [NodeCreated, NodeUpdated],
    handle: Effect.fn("NodeLinkConsumer.handle")(function* (events) {
      const nodes = new Set(events.map(({ event }) => event.id))
      yield* store.enqueueOfNodes([...nodes], yield* DateTime.now)
    })
  })
)
