/** How much of discussions a page shows, so that its text stays within about 2 MiB. Pure. */
import type { ThreadHead } from "./ThreadHead.ts"

/** Replies on a page of a thread, and threads on a page of a list, unless they are very long. */
export const pageSize = 50

/** Bytes of texts in an answer. */
export const budget = 2 * 1024 * 1024

/**
 * Replies on each page of a thread: as many as fit beside the opening post if all were as long as the longest,
 * and answered others as long. The same for all pages, so that they follow each other.
 */
export const repliesOnPage = ({
  openingWeight,
  replyWeight
}: Pick<ThreadHead, "openingWeight" | "replyWeight">): number => {
  const fitting = Math.floor((budget - openingWeight) / (2 * Math.max(1, replyWeight)))
  return Math.min(pageSize, Math.max(1, fitting))
}

/** What is shown in full: from the first on, each that what is left of the budget has room for. */
export const fitting = <Item>(
  items: ReadonlyArray<Item>,
  sizeOf: (item: Item) => number
): ReadonlyArray<Item> => {
  let left = budget
  return items.filter((item) => {
    const size = sizeOf(item)
    if (size > left) return false
    left -= size
    return true
  })
}
