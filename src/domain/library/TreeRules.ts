/** Which nodes may contain which. Pure. */
import { Result } from "effect"
import { type AccountActor, accountIdOf } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"
import { NodeInItself, NodePlacementInvalid, NodeVisibilitiesDiffer } from "./NodeProblems.ts"
import { managesLibrary, type NodeState } from "./NodeRules.ts"

/** Nodes of which visibilities are moved into a node. */
export const contains: { readonly [Parent in Visibility]: ReadonlyArray<Visibility> } = {
  draft: ["draft"],
  unlisted: ["unlisted"],
  review: ["draft", "review"],
  published: ["draft", "review", "published"]
}

/** What the rules know of a node that moves, or that one moves into. */
export type Placed = Pick<NodeState, "id" | "parentId" | "visibility">

/** Where a node goes; undefined is the top level. */
export interface Destination {
  readonly parent: Placed | undefined
  /** The nodes that contain the parent. */
  readonly above: ReadonlyArray<NodeId>
}

/** Which nodes change their parent, in this order. */
export type Move =
  | { readonly _tag: "Stay" }
  | { readonly _tag: "Move" }
  /** The new parent, which is directly in the node, moves to the top level first. */
  | { readonly _tag: "Exchange" }

/** What becomes of a node that an operation for moving nodes puts somewhere. */
export const decideMove = (
  node: Placed,
  { above, parent }: Destination
): Result.Result<Move, NodeInItself | NodeVisibilitiesDiffer> => {
  if (parent?.id === node.id) return Result.fail(new NodeInItself())
  if (parent?.id === node.parentId) return Result.succeed({ _tag: "Stay" })
  if (parent === undefined) return Result.succeed({ _tag: "Move" })
  const isExchange = parent.parentId === node.id
  if (!isExchange && above.includes(node.id)) return Result.fail(new NodeInItself())
  if (!contains[parent.visibility].includes(node.visibility)) {
    const metadata = { parent: parent.visibility, child: node.visibility }
    return Result.fail(new NodeVisibilitiesDiffer({ metadata }))
  }
  return Result.succeed({ _tag: isExchange ? "Exchange" : "Move" })
}

/** What becomes of a node whose change names a parent. Visibilities make no difference, and no other node moves. */
export const decideReparenting = (
  node: Placed,
  { above, parent }: Destination
): Result.Result<Move, NodeInItself> => {
  if (parent?.id === node.id || above.includes(node.id)) return Result.fail(new NodeInItself())
  return Result.succeed({ _tag: parent?.id === node.parentId ? "Stay" : "Move" })
}

/** Which sibling a node is put next to, if one is named. */
export type Spot =
  | { readonly _tag: "Last" }
  | { readonly _tag: "Before"; readonly sibling: NodeId }
  | { readonly _tag: "After"; readonly sibling: NodeId }

/** The spot that a request names. */
export const decideSpot = (
  node: NodeId,
  { after, before }: { readonly before?: NodeId; readonly after?: NodeId }
): Result.Result<Spot, NodePlacementInvalid> => {
  const sibling = before ?? after
  if (sibling === undefined) return Result.succeed({ _tag: "Last" })
  if (before !== undefined && after !== undefined) return Result.fail(invalid("both"))
  if (sibling === node) return Result.fail(invalid("itself"))
  return Result.succeed(before === undefined ? { _tag: "After", sibling } : { _tag: "Before", sibling })
}

const invalid = (rule: NodePlacementInvalid["metadata"]["rule"]) =>
  new NodePlacementInvalid({ metadata: { rule } })

/** Whether a node that the spot names is where the node goes. */
export const checkSibling = (
  sibling: Pick<NodeState, "parentId">,
  parent: NodeId | undefined
): Result.Result<void, NodePlacementInvalid> =>
  sibling.parentId === parent ? Result.void : Result.fail(invalid("sibling"))

/** Whether an actor may put a node into another or take it out: who owns one of them, and managers. */
export const mayRelate = (
  parent: Pick<NodeState, "ownerId">,
  child: Pick<NodeState, "ownerId">,
  actor: AccountActor
): boolean => {
  const account = accountIdOf(actor)
  return parent.ownerId === account || child.ownerId === account || managesLibrary(actor)
}
