/** Pages of the library that other content refers to, as a viewer may read them. */
import { Effect } from "effect"
import type { Node, NodeInPart } from "../library/Node.ts"
import { aloneInPart, aloneNode } from "../library/NodeExcerpt.ts"
import { NodeQueries, type WantedNode } from "../library/NodeQueries.ts"
import { mayReadLibrary, mayReadNode, type NodeStanding } from "../library/NodeRules.ts"
import type { Actor } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import type { DatagraphItemNode } from "./DatagraphItem.ts"

const none: ReadonlyMap<NodeId, Node> = new Map()
const noItems: ReadonlyMap<NodeId, DatagraphItemNode> = new Map()

export const makeNodeItems = Effect.gen(function* () {
  const queries = yield* NodeQueries

  /** Pages that are shown to somebody, by id, each with the parts that are wanted of it. */
  const nodesInPart = Effect.fnUntraced(function* (
    wanted: ReadonlyArray<WantedNode>,
    isShown: (id: NodeId, standing: NodeStanding) => boolean
  ) {
    const found = yield* queries.listed(wanted)
    const shown = found.filter(({ id, owner, visibility }) => isShown(id, { ownerId: owner.id, visibility }))
    return new Map(shown.map((node) => [node.id, aloneInPart(node)])) satisfies ReadonlyMap<
      NodeId,
      NodeInPart
    >
  })

  /** Pages that the viewer may read, by id. */
  const readableNodes = Effect.fnUntraced(function* (ids: ReadonlyArray<NodeId>, viewer: Actor) {
    if (ids.length === 0 || !mayReadLibrary(viewer)) return none
    const found = yield* queries.whole(ids)
    const readable = found.filter(({ owner, visibility }) =>
      mayReadNode({ ownerId: owner.id, visibility }, viewer)
    )
    return new Map(readable.map((node) => [node.id, aloneNode(node)]))
  })

  /** The nodes with these ids that the viewer may read, as items. */
  const findNodes = (ids: ReadonlyArray<NodeId>, viewer: Actor) =>
    ids.length === 0
      ? Effect.succeed(noItems)
      : Effect.map(
          readableNodes(ids, viewer),
          (readable) =>
            new Map<NodeId, DatagraphItemNode>(
              [...readable].map(([id, node]) => [id, { kind: "node", ref: node }])
            )
        )

  return { nodesInPart, readableNodes, findNodes, nodeSizes: queries.sizesOf } as const
})
