/** What the rules of the library need from storage to move and delete pages. The tree must be locked for all of it. */
import { Context, type DateTime, type Effect } from "effect"
import type { NodeId } from "../shared/Id.ts"
import type { NodeTooDeep } from "./NodeProblems.ts"
import type { NodeState } from "./NodeState.ts"
import type { Spot } from "./TreeRules.ts"

/** The page in which others are; undefined is the top level. */
export type Group = NodeId | undefined

export type Child = Pick<NodeState, "id" | "slug">

export class NodeTree extends Context.Service<
  NodeTree,
  {
    /** The pages that contain this one, from the inside. */
    readonly above: (id: NodeId) => Effect.Effect<ReadonlyArray<NodeId>>
    /** Puts a page next to a sibling in a group, or after all of them. */
    readonly move: (id: NodeId, to: Group, spot: Spot, at: DateTime.Utc) => Effect.Effect<void, NodeTooDeep>
    /** So many of the pages that one contains, in their order. */
    readonly children: (id: NodeId, limit: number) => Effect.Effect<ReadonlyArray<Child>>
    /** Puts pages after those of a group, in this order. */
    readonly moveAll: (
      nodes: ReadonlyArray<Child>,
      to: Group,
      at: DateTime.Utc
    ) => Effect.Effect<void, NodeTooDeep>
    /** Deletes a page that contains no other one, with its versions and values. It must be locked. */
    readonly delete: (node: Pick<NodeState, "id" | "visibility">) => Effect.Effect<void>
  }
>()("forum/domain/NodeTree") {}
