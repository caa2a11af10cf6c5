import { openingPost } from "../thread/ThreadExamples.ts"

/** Where the changes are after one of them. */
export const cursor = "AAAAAQAAAAAAAWBiAAAAAAAAEmdV0dRg"

/** Freya has opened a thread. */
export const changeEntry = {
  id: "d4f8m1b0000000000i70",
  cursor,
  at: "2026-11-21T14:13:09.104Z",
  event: { event: "EventThreadPublished", id: openingPost.id }
} as const
