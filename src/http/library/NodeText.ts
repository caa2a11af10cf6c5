/**
 * Nodes as JSON text. Encoding the thousands of values in a list by schema costs more than reading them. The tests
 * hold every answer to its schema.
 */
import { Effect } from "effect"
import { parentsMax } from "../../domain/library/NodeBudget.ts"
import { aloneInPart } from "../../domain/library/NodeExcerpt.ts"
import type { ListedNodes } from "../../domain/library/NodeLists.ts"
import { inBrief } from "../../domain/library/NodeOmission.ts"
import type { ListedNode } from "../../domain/library/NodeQueries.ts"
import type { NodeId } from "../../domain/shared/Id.ts"
import { textOfPerson, unclosed } from "../bytes/JsonText.ts"

/** The node that contains a node of a list, as it is shown with it: without all that may be long. */
const above = (parent: ListedNode, isDescribed: boolean) => {
  const { owner: _, ...node } = aloneInPart(inBrief(parent, isDescribed))
  return node
}

// So many nodes are written without a break, which takes so little time that other requests do not wait for it.
const withoutBreak = 500

/**
 * The text of a list of nodes. The parent of a node at its top is shown with it, without what may be long, and says so.
 */
export const listText = Effect.fnUntraced(function* ({ children, envelope, parents, top }: ListedNodes) {
  const parts: Array<string> = []
  const parentTexts = new Map<NodeId, { readonly described: string; readonly bare: string }>()
  let left = parentsMax
  let written = 0

  /**
   * The text of a node without its closing brace. Removing keys of an object takes longer than setting them to
   * undefined.
   */
  const nodeText = (node: ListedNode) =>
    `${unclosed({ ...node, owner: undefined, parentId: undefined })},"owner":${textOfPerson(node.owner)}`

  const textsOf = (parent: ListedNode) => {
    const text = (isDescribed: boolean) =>
      `,"parent":${unclosed(above(parent, isDescribed))},"owner":${textOfPerson(parent.owner)}}`
    return { described: text(true), bare: text(false) }
  }

  const parentText = (id: NodeId | undefined): string => {
    const parent = id === undefined ? undefined : parents.get(id)
    if (parent === undefined) return ""
    const texts = parentTexts.get(parent.id) ?? textsOf(parent)
    parentTexts.set(parent.id, texts)
    left -= texts.described.length
    return left >= 0 ? texts.described : texts.bare
  }

  const write = Effect.fnUntraced(function* (
    nodes: ReadonlyArray<ListedNode>,
    isTop: boolean
  ): Effect.fn.Return<void> {
    for (const [place, node] of nodes.entries()) {
      if (place > 0) parts.push(",")
      parts.push(nodeText(node))
      if (isTop) parts.push(parentText(node.parentId))
      parts.push(',"children":[')
      const below = children.get(node.id)
      if (below !== undefined) yield* write(below, false)
      parts.push("]}")
      written++
      if (written % withoutBreak === 0) yield* Effect.yieldNow
    }
  })

  parts.push(`${unclosed(envelope)},"nodes":[`)
  yield* write(top, true)
  parts.push("]}")
  return parts.join("")
})
