/**
 * About how many bytes of an answer nodes take: columns that triggers keep on a node and on the node `above` it, to be
 * joined by `above.id = node.parent_id`. Null where there is no such node.
 */

import { room } from "../../domain/answer/AnswerRoom.ts"
import type { NodePart } from "../../domain/library/NodeOmission.ts"

const fieldsOf = (node: string, above: string) => `coalesce(${above}.field_bytes, ${node}.own_field_bytes)`

/** The size of a node as a whole, with the fields of its properties. */
export const nodeSize = (node: string, above: string) =>
  `(${node}.weight + ${node}.field_bytes + ${fieldsOf(node, above)})`

const tagBytes = (node: string) => `200 * cardinality(${node}.tag_ids)`

/** The size of each part of a node; `shared` is that of the fields that it shares with its siblings. */
export const partSizes = (node: string, shared: string): { readonly [Part in NodePart]: string } => ({
  description: `octet_length(${node}.description)`,
  meta: `${node}.meta_bytes`,
  tags: tagBytes(node),
  properties: `${node}.value_bytes + ${node}.field_bytes + ${shared}`,
  content: `${node}.weight - ${node}.meta_bytes - ${tagBytes(node)} - ${node}.value_bytes`
})

export const partSizesBelow = (node: string, above: string) => partSizes(node, fieldsOf(node, above))

/**
 * Columns that tell of nodes in a list whether it shows their parts, as `partsShown` decides it: each part as long as it
 * fits into what all parts before it leave of the room. Descriptions have a room of their own.
 */
export const partsThatFit = (order: string, described: number): string => {
  const before = (parts: ReadonlyArray<NodePart>) =>
    parts.length === 0 ? "0" : `sum(${parts.map((part) => `${part}_size`).join(" + ")}) over ()`
  const fits = (part: NodePart, others: ReadonlyArray<NodePart>, available: number) =>
    `${before(others)} + sum(${part}_size) over (order by ${order}) <= ${available} as shows_${part}`
  return [
    fits("description", [], described),
    fits("meta", [], room),
    fits("tags", ["meta"], room),
    fits("properties", ["meta", "tags"], room),
    fits("content", ["meta", "tags", "properties"], room)
  ].join(", ")
}
