/** How much of discussions a page shows, so that it has room in an answer. Pure. */
import { room } from "../answer/AnswerRoom.ts"
import type { ThreadSummary } from "./ThreadSummary.ts"

/** Replies on a page of a thread, and threads on a page of a list, unless they are very long. */
export const pageSize = 50

/**
 * Replies on each page of a thread: as many as fit beside the opening post if all were as long as the longest,
 * and answered others as long. The same for all pages, so that they follow each other.
 */
export const repliesOnPage = ({
  openingWeight,
  replyWeight
}: Pick<ThreadSummary, "openingWeight" | "replyWeight">): number => {
  const fitting = Math.floor((room - openingWeight) / (2 * Math.max(1, replyWeight)))
  return Math.min(pageSize, Math.max(1, fitting))
}
