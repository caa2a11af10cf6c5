/** Moving nodes, as part of a transaction that has locked the nodes. */
import type { DateTime } from "effect"
import { Effect } from "effect"
import type { NodeId } from "../shared/Id.ts"
import { Transaction, WriteQueue } from "../storage/Transaction.ts"
import { makeNodeAccess } from "./NodeAccess.ts"
import type { NodeState } from "./NodeRules.ts"
import { type Group, NodeStore } from "./NodeStore.ts"
import { PropertyEdits } from "./PropertyEdits.ts"
import type { FieldRight } from "./PropertyRules.ts"
import { decideMove, decideReparenting, type Move, type Spot } from "./TreeRules.ts"

/** The queue in which all moves of nodes wait for each other, wherever in the tree the nodes are. */
const treeQueue = "library tree"

/** The queue in which requests that add nodes to the same group wait for each other. */
export const groupQueue = (parent: Group): string => `library group ${parent ?? ""}`

/** Where a node goes, as it is stored, and what who moves it may do with the fields there. */
interface Where {
  readonly parent: NodeState | undefined
  readonly above: ReadonlyArray<NodeId>
  readonly right: FieldRight
}

const last: Spot = { _tag: "Last" }

export const makeNodeMoving = Effect.gen(function* () {
  const nodes = yield* NodeStore
  const properties = yield* PropertyEdits
  const transaction = yield* Transaction
  const queue = yield* WriteQueue
  const { getForUpdate } = yield* makeNodeAccess

  /** A transaction during which nobody else adds, moves or deletes nodes. */
  const inTree = <A, E, R>(writes: Effect.Effect<A, E, R>) =>
    queue(treeQueue, transaction(Effect.andThen(nodes.lockTree, writes)))

  const destination = Effect.fnUntraced(function* (parent: NodeState | undefined, right: FieldRight) {
    return {
      parent,
      right,
      above: parent === undefined ? [] : yield* nodes.above(parent.id)
    } satisfies Where
  })

  /** Puts a node into another group, with the values of its properties. */
  const relocate = Effect.fnUntraced(function* (
    node: Pick<NodeState, "id" | "parentId">,
    to: Group,
    right: FieldRight,
    spot: Spot,
    at: DateTime.Utc
  ) {
    yield* nodes.move(node.id, to, spot, at)
    yield* properties.follow([node], node.parentId, to, right)
  })

  /** Does what was decided. Answers the nodes that have moved. */
  const carryOut = Effect.fnUntraced(function* (
    move: Move,
    node: NodeState,
    { parent, right }: Where,
    spot: Spot,
    at: DateTime.Utc
  ) {
    switch (move._tag) {
      case "Stay":
        if (spot._tag === "Last") return []
        yield* nodes.move(node.id, node.parentId, spot, at)
        return [node]
      case "Move":
        yield* relocate(node, parent?.id, right, spot, at)
        return [node]
      case "Exchange": {
        if (parent === undefined) return []
        yield* relocate(parent, undefined, "own", last, at)
        yield* relocate(node, parent.id, right, spot, at)
        return [parent, node]
      }
    }
  })

  /** Moves a node as the operations do that are for it. Answers the nodes that have moved. */
  const move = Effect.fnUntraced(function* (
    node: NodeState,
    parent: NodeState | undefined,
    right: FieldRight,
    spot: Spot,
    at: DateTime.Utc
  ) {
    const to = yield* destination(parent, right)
    return yield* carryOut(yield* Effect.fromResult(decideMove(node, to)), node, to, spot, at)
  })

  /** Puts a node into another one, because a change of it says so. Answers where it is. */
  const reparent = Effect.fnUntraced(function* (
    node: NodeState,
    found: NodeState,
    right: FieldRight,
    at: DateTime.Utc
  ) {
    const parent = yield* getForUpdate(found.id)
    const to = yield* destination(parent, right)
    yield* carryOut(yield* Effect.fromResult(decideReparenting(node, to)), node, to, last, at)
    return parent.id
  })

  return { inTree, move, reparent } as const
})
