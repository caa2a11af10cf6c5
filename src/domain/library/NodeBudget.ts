/** How much of pages an answer shows, so that its text stays within some MiB. Pure. */
import type { NodeId } from "../shared/Id.ts"
import { fitting } from "../thread/PageBudget.ts"
import type { WantedNode } from "./NodeReader.ts"

/** Bytes of descriptions in the list of all pages, whose number is bounded as well. */
export const describedMax = 8 * 1024 * 1024

/** Bytes of the pages that contain those of a flat list, each of which shows its own. */
export const parentsMax = 4 * 1024 * 1024

/** A page of a list before it is read. */
export interface WeighedNode {
  readonly id: NodeId
  /** About how many bytes it takes beside what every page has. */
  readonly weight: number
}

/** In full as long as there is room, from the first on; the others are brief. */
export const lengthsOf = (pages: ReadonlyArray<WeighedNode>): ReadonlyArray<WantedNode> => {
  const full = new Set(fitting(pages, ({ weight }) => weight).map(({ id }) => id))
  return pages.map(({ id }) => ({ id, length: full.has(id) ? "full" : "brief" }))
}
