/** Pages as they are shown. */
import { Context, type Effect } from "effect"
import type { NodeId } from "../shared/Id.ts"
import type { Node, NodeWithChildren } from "./Node.ts"

/** A page without its children and the page that contains it. */
export interface ShownNode extends Omit<NodeWithChildren, "children" | "parent"> {
  readonly parentId: NodeId | undefined
}

export class NodeReader extends Context.Service<
  NodeReader,
  {
    /** Those of these pages that there are, whoever may see them, in the order of the ids. */
    readonly shown: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<ShownNode>>
    /** The same without properties, as other resources refer to them. */
    readonly references: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<Node>>
  }
>()("forum/domain/NodeReader") {}
