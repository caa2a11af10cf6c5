/** How much of discussions a page shows, so that its text stays within about 2 MiB. Pure. */
import type { ListedHead, ThreadHead } from "./ThreadHead.ts"

/** Replies on a page of a thread, and threads on a page of a list, unless they are very long. */
export const pageSize = 50

/** Bytes of an answer with many posts. */
export const answerBudget = 2 * 1024 * 1024

/**
 * Replies on each page of a thread: as many as fit beside the opening post if all were as long as the longest,
 * and answered others as long. The same for all pages, so that they follow each other.
 */
export const repliesOnPage = ({
  openingWeight,
  replyWeight
}: Pick<ThreadHead, "openingWeight" | "replyWeight">): number => {
  const fitting = Math.floor((answerBudget - openingWeight) / (2 * Math.max(1, replyWeight)))
  return Math.min(pageSize, Math.max(1, fitting))
}

/** Of the threads on a page of a list those that are shown in full: each of which, with those before it, fits. */
export const shownInFull = <Head extends Pick<ListedHead, "openingWeight">>(
  threads: ReadonlyArray<Head>
): ReadonlyArray<Head> => {
  let left = answerBudget
  return threads.filter(({ openingWeight }) => {
    if (openingWeight > left) return false
    left -= openingWeight
    return true
  })
}
