import { odin } from "../account/AccountExamples.ts"
import { openingPost } from "../thread/ThreadExamples.ts"

const at = "2026-11-21T14:13:10.104Z"

export const auditEvent = {
  id: "dc0qdtnkhh6uivg0007g",
  type: "thread_deleted",
  timestamp: at,
  enacted_by: odin,
  thread_id: openingPost.id
} as const

export const note = {
  id: "dc0qdtnkhh6uivg0008g",
  created_at: at,
  content: "Was asked to stop advertising.",
  author: odin
} as const
