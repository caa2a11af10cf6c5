/** Pages as they are shown. */
import { Context, type Effect } from "effect"
import type { NodeId } from "../shared/Id.ts"
import type { NodeTreeItem, NodeWithChildren } from "./Node.ts"

/** How much is shown of a page: so many of its parts, as `nodePartNames` orders them. */
export interface WantedNode {
  readonly id: NodeId
  readonly parts: number
}

/** A page without its children and the page that contains it. */
export interface ShownNode extends Omit<NodeWithChildren, "children" | "parent"> {
  readonly parentId: NodeId | undefined
}

/** The same of a page that may lack parts. */
export interface ListedNode extends Omit<NodeTreeItem, "children" | "parent"> {
  readonly parentId: NodeId | undefined
}

/** A page with some of its children and what contains it, as far as they fit into an answer. */
export interface NodeFamily {
  readonly node: ShownNode
  readonly parent: ListedNode | undefined
  readonly children: ReadonlyArray<ShownNode>
}

export class NodeReader extends Context.Service<
  NodeReader,
  {
    /** Those of these pages that there are, whoever may see them, in this order. */
    readonly whole: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<ShownNode>>
    /** The same of which some may lack parts. */
    readonly listed: (pages: ReadonlyArray<WantedNode>) => Effect.Effect<ReadonlyArray<ListedNode>>
    /**
     * A page as a whole, with all of these children or with the first ones that an answer has room for, and one at
     * least. They are whole; the parent may lack parts. Undefined if the page is gone.
     */
    readonly family: (
      id: NodeId,
      parent: NodeId | undefined,
      children: ReadonlyArray<NodeId>,
      shown: "first" | "all"
    ) => Effect.Effect<NodeFamily | undefined>
    /** About how many bytes of an answer the parts of pages take, as `nodePartNames` orders them. */
    readonly sizesOf: (
      ids: ReadonlyArray<NodeId>
    ) => Effect.Effect<ReadonlyMap<NodeId, ReadonlyArray<number>>>
  }
>()("forum/domain/NodeReader") {}
