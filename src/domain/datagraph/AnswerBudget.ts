/** How much of items of several kinds fits into an answer. Pure. */
import { shortenedNode } from "../library/NodeExcerpt.ts"
import { shortenedProfile } from "../profile/ProfileExcerpt.ts"
import { shortened, shortenedReply } from "../thread/Excerpt.ts"
import { fitting } from "../thread/PageBudget.ts"
import type { DatagraphItem } from "./DatagraphItem.ts"

const encoder = new TextEncoder()

// What is left of an item that is shortened.
const leastSize = 4096

const sizeOf = ({ ref }: DatagraphItem) => encoder.encode(JSON.stringify(ref)).length + leastSize

const shortenedItem = (item: DatagraphItem): DatagraphItem => {
  switch (item.kind) {
    case "post":
      return { kind: "post", ref: shortened(item.ref) }
    case "thread":
      return { kind: "thread", ref: { ...shortened(item.ref), reacts: [], meta: {} } }
    case "reply":
      return { kind: "reply", ref: shortenedReply(item.ref) }
    case "node":
      return { kind: "node", ref: shortenedNode(item.ref) }
    case "profile":
      return { kind: "profile", ref: shortenedProfile(item.ref) }
  }
}

/** Items that fit into an answer with others of their kind, as they fit into one all together. */
export const withinAnswer = (items: ReadonlyArray<DatagraphItem>): ReadonlyArray<DatagraphItem> => {
  const whole = new Set(fitting(items, sizeOf))
  return whole.size === items.length
    ? items
    : items.map((item) => (whole.has(item) ? item : shortenedItem(item)))
}
