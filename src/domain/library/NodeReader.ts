/** Pages as they are shown. */
import { Context, type Effect } from "effect"
import type { NodeId } from "../shared/Id.ts"
import type { NodeWithChildren } from "./Node.ts"

/** How much is shown of a page: all, or no properties, content, metadata, files, tags and link, which may be long. */
export type NodeLength = "full" | "brief"

export interface WantedNode {
  readonly id: NodeId
  readonly length: NodeLength
}

/** A page without its children and the page that contains it. */
export interface ShownNode extends Omit<NodeWithChildren, "children" | "parent"> {
  readonly parentId: NodeId | undefined
}

export class NodeReader extends Context.Service<
  NodeReader,
  {
    /** Those of these pages that there are, whoever may see them, in this order. */
    readonly listed: (pages: ReadonlyArray<WantedNode>) => Effect.Effect<ReadonlyArray<ShownNode>>
    /** The same in full as long as an answer has room, from the first on, which always is; others are brief. */
    readonly fitting: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<ShownNode>>
    /** About how many bytes of an answer pages take in full. */
    readonly sizesOf: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyMap<NodeId, number>>
  }
>()("forum/domain/NodeReader") {}
