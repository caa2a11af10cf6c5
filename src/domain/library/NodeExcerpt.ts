/** What other answers show of a node: without its children, in part, or as a draft has it. Pure. */
import type { Node, NodeInPart } from "./Node.ts"
import { nodePartNames, nodeParts } from "./NodeOmission.ts"
import type { ListedNode, ShownNode } from "./NodeQueries.ts"
import type { NodeVersion } from "./NodeVersion.ts"

/** The node without what it contains and what contains it. */
export const aloneNode = ({ parentId: _, ...shown }: ShownNode): Node => ({ ...shown, children: [] })

/** A node that may lack parts, without what it contains and what contains it. */
export const aloneInPart = ({ parentId: _, ...shown }: ListedNode): NodeInPart => ({ ...shown, children: [] })

const hidden = nodePartNames.flatMap(
  (part): ReadonlyArray<string> => (part === "description" ? [] : nodeParts[part])
)

/** The node of a draft for those who may not read it: whose it is, and otherwise what the draft says. */
export const asDrafted = (
  { createdAt, id, owner, visibility }: ListedNode,
  { description = "", name, updated_at: updatedAt }: NodeVersion
): NodeInPart => ({
  id,
  createdAt,
  updatedAt,
  // Whether the node has anything there is not said.
  misc: { omitted: hidden },
  name,
  slug: id,
  description,
  owner,
  visibility,
  hide_child_tree: false,
  recomentations: [],
  children: []
})
