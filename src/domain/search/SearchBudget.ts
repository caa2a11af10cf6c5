/** How much of what was found fits into an answer. Pure. */
import type { DatagraphItem } from "../datagraph/DatagraphItem.ts"
import { shortened, shortenedReply } from "../thread/Excerpt.ts"
import { fitting } from "../thread/PageBudget.ts"

const encoder = new TextEncoder()

// What is left of an item that is shortened.
const leastSize = 4096

const sizeOf = ({ ref }: DatagraphItem) => encoder.encode(JSON.stringify(ref)).length + leastSize

const shortenedItem = (item: DatagraphItem): DatagraphItem =>
  item.kind === "reply"
    ? { kind: "reply", ref: shortenedReply(item.ref) }
    : item.kind === "thread"
      ? { kind: "thread", ref: { ...shortened(item.ref), reacts: [], meta: {} } }
      : { kind: "post", ref: shortened(item.ref) }

/** Threads and replies that each fit into an answer, as they fit into one together. */
export const withinAnswer = (items: ReadonlyArray<DatagraphItem>): ReadonlyArray<DatagraphItem> => {
  const whole = new Set(fitting(items, sizeOf))
  return whole.size === items.length
    ? items
    : items.map((item) => (whole.has(item) ? item : shortenedItem(item)))
}
