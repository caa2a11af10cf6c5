import { freya, odin } from "../account/AccountExamples.ts"
import { openingPost } from "../thread/ThreadExamples.ts"

const at = "2026-11-21T14:13:10.104Z"

export const auditEvent = {
  id: "dc0qdtnkhh6uivg0007g",
  type: "thread_deleted",
  timestamp: at,
  enacted_by: odin,
  thread_id: openingPost.id
} as const

export const warning = {
  id: "dc0qdtnkhh6uivg0009g",
  issued_at: at,
  reason: "Advertises in every thread.",
  issued_by: odin
} as const

export const newWarning = { reason: warning.reason } as const

export const note = {
  id: "dc0qdtnkhh6uivg0008g",
  created_at: at,
  content: "Was asked to stop advertising.",
  author: odin
} as const

export const purgeAccount = {
  action: "purge_account",
  account_id: freya.id,
  include: ["threads", "replies", "profile_bio"]
} as const

export const purgeEntry = {
  id: "dc0qdtnkhh6uivg000ag",
  type: "account_content_purged",
  timestamp: at,
  enacted_by: odin
} as const
