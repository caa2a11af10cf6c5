/** Pages as they are shown. */
import { Context, type Effect } from "effect"
import type { NodeId } from "../shared/Id.ts"
import type { Node, NodeWithChildren } from "./Node.ts"

/**
 * How much is shown of a page: everything; nothing of properties; or no properties, content, metadata, files, tags
 * and link, all of which may be long.
 */
export type NodeLength = "full" | "alone" | "brief"

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
    /** Those of these pages that there are, whoever may see them, in the order of the ids. */
    readonly shown: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<ShownNode>>
    /** The same where not all are shown in full. */
    readonly listed: (pages: ReadonlyArray<WantedNode>) => Effect.Effect<ReadonlyArray<ShownNode>>
    /** The same in full as long as an answer has room, from the first on, which always is; others are brief. */
    readonly fitting: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<ShownNode>>
    /** The same without properties, as other resources refer to them. */
    readonly references: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<Node>>
    /** The same where not all are shown in full. */
    readonly listedReferences: (pages: ReadonlyArray<WantedNode>) => Effect.Effect<ReadonlyArray<Node>>
    /** About how many bytes of an answer pages take in full. */
    readonly sizesOf: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyMap<NodeId, number>>
  }
>()("forum/domain/NodeReader") {}
