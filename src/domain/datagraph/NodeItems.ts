/** Pages of the library that other content refers to, as a viewer may read them. */
import { Effect } from "effect"
import type { Node } from "../library/Node.ts"
import { aloneNode } from "../library/NodeExcerpt.ts"
import { NodeReader } from "../library/NodeReader.ts"
import { mayReadLibrary, mayReadNode, type NodeStanding } from "../library/NodeRules.ts"
import type { Actor } from "../shared/Actor.ts"
import type { NodeId } from "../shared/Id.ts"
import { fitting } from "../thread/PageBudget.ts"
import type { DatagraphItemNode } from "./DatagraphItem.ts"

type ShownNodes = ReadonlyMap<NodeId, Node>

const none: ShownNodes = new Map()

export const makeNodeItems = Effect.gen(function* () {
  const reader = yield* NodeReader

  /** Pages that are shown to somebody, by id; `whole` names those that are not to be shortened. */
  const shownNodes = Effect.fnUntraced(function* (
    ids: ReadonlyArray<NodeId>,
    whole: ReadonlyArray<NodeId>,
    isShown: (id: NodeId, standing: NodeStanding) => boolean
  ) {
    if (ids.length === 0) return none
    const full = new Set(whole)
    const found = yield* reader.listed(ids.map((id) => ({ id, length: full.has(id) ? "full" : "brief" })))
    const shown = found.filter(({ id, owner, visibility }) => isShown(id, { ownerId: owner.id, visibility }))
    return new Map(shown.map((node) => [node.id, aloneNode(node)])) satisfies ShownNodes
  })

  /** Those that the viewer may read. */
  const readableNodes = (ids: ReadonlyArray<NodeId>, whole: ReadonlyArray<NodeId>, viewer: Actor) =>
    mayReadLibrary(viewer)
      ? shownNodes(ids, whole, (_, standing) => mayReadNode(standing, viewer))
      : Effect.succeed(none)

  /** Those of these pages, in their order, that fit into an answer as they are. */
  const wholeNodes = (ids: ReadonlyArray<NodeId>) =>
    ids.length === 0
      ? Effect.succeed([])
      : Effect.map(reader.sizesOf(ids), (sizes) => fitting(ids, (id) => sizes.get(id) ?? 0))

  /** Pages that the viewer may read, by id; from the first on, those as they are that fit into an answer. */
  const findNodes = Effect.fnUntraced(function* (ids: ReadonlyArray<NodeId>, viewer: Actor) {
    const whole = mayReadLibrary(viewer) ? yield* wholeNodes(ids) : []
    const readable = yield* readableNodes(ids, whole, viewer)
    return new Map<NodeId, DatagraphItemNode>(
      [...readable].map(([id, node]) => [id, { kind: "node", ref: node }])
    )
  })

  return { shownNodes, readableNodes, findNodes } as const
})
