import { DateTime, Effect } from "effect"
import { type EventConsumer, makeConsumer } from "../event/EventConsumer.ts"
import {
  ThreadPublished,
  ThreadReplyCreated,
  ThreadReplyUpdated,
  ThreadUpdated
} from "../event/ThreadEvents.ts"
import { LinkFetchStore } from "./LinkFetchStore.ts"

/** Lets the pages be read that posts link to. */
export const make: Effect.Effect<EventConsumer, never, LinkFetchStore> = Effect.map(LinkFetchStore, (store) =>
  makeConsumer({
    name: "link fetches",
    reads: [ThreadPublished, ThreadUpdated, ThreadReplyCreated, ThreadReplyUpdated],
    handle: Effect.fn("LinkFetchConsumer.handle")(function* (events) {
      const posts = events.map(({ event }) => ("reply_id" in event ? event.reply_id : event.id))
      yield* store.enqueueOfPosts([...new Set(posts)], yield* DateTime.now)
    })
  })
)
