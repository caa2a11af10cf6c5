/** What of its entries a feed shows. Pure. */
import type { Timestamp } from "../field/Resource.ts"
import { contentsMax, type FeedEntry } from "./Feed.ts"

/** Which of these texts, of so many bytes each, have room in a feed; a short one may come after one that is too long. */
export const wholeOnes = (sizes: ReadonlyArray<number>, room = contentsMax): ReadonlyArray<boolean> => {
  let left = room
  return sizes.map((size) => {
    const fits = size <= left
    if (fits) left -= size
    return fits
  })
}

// Formats demand an instant of feeds without entries, too.
const never = "1970-01-01T00:00:00.000Z"

/** When the last entry changed. */
export const updatedAt = (entries: ReadonlyArray<Pick<FeedEntry, "updatedAt">>): Timestamp | typeof never =>
  entries.reduce<Timestamp | typeof never>(
    (last, entry) => (entry.updatedAt > last ? entry.updatedAt : last),
    never
  )
