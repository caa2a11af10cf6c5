import { freya, odin } from "../account/AccountExamples.ts"
import { openingPost } from "../thread/ThreadExamples.ts"

const at = "2026-11-21T14:13:10.104Z"

export const newReport = {
  target_id: openingPost.id,
  target_kind: "thread",
  comment: "This is advertising."
} as const

/** Freya reports a thread. */
export const report = {
  id: "dc0qdtnkhh6uivg0009g",
  createdAt: at,
  updatedAt: at,
  misc: {},
  ...newReport,
  reported_by: freya,
  status: "submitted",
  item: { kind: "post", ref: openingPost }
} as const

/** The report once a moderator has dealt with it. */
export const handledReport = { ...report, handled_by: odin, status: "resolved" } as const
