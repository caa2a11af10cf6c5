import { topFieldBytes } from "./NodeRows.ts"

/**
 * About how many bytes of an answer a page takes in full, with the fields of its properties: columns that triggers keep
 * on it and on the page `above` it, to be joined by `above.id = node.parent_id`. Null where there is no such page.
 */
export const nodeSize = (node: string, above: string) =>
  `(${node}.weight + ${node}.field_bytes + coalesce(${above}.field_bytes, ${topFieldBytes}))`
