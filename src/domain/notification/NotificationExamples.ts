import { freya } from "../account/AccountExamples.ts"
import { openingPost } from "../thread/ThreadExamples.ts"

/** What the author of a thread is notified of when another account replies. */
export const threadReply = {
  id: "dc0qdtfkhh6uivg00050",
  created_at: "2026-11-21T14:13:09.565Z",
  event: "thread_reply",
  item: { kind: "post", ref: openingPost },
  source: freya,
  status: "read"
} as const
