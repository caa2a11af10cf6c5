/** What reading pages needs from storage, beside their texts. */
import { Context, type Effect, type Option } from "effect"
import type { Actor } from "../shared/Actor.ts"
import type { AccountId, NodeId } from "../shared/Id.ts"
import type { VisibilityFilter } from "../shared/Visibility.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { ListedNode } from "./NodeReader.ts"
import type { NodeSummary } from "./NodeSummary.ts"

/** Which pages to list. */
export interface NodeListFilter {
  /** As a tree, a page is listed if those that contain it are; else each by itself. */
  readonly format: "tree" | "flat"
  /** The page at the top; undefined are all at the top level. */
  readonly root: NodeId | undefined
  readonly owner: AccountId | undefined
  readonly filter: VisibilityFilter
  readonly viewer: AccountId | undefined
  /** Levels below the top. */
  readonly depth: number
  /** A part of the name, in the form in which texts are compared. */
  readonly text: string | undefined
  readonly page: number
}

/** Pages by depth, then in the order of siblings, not all of them with all their parts, and how many there are. */
export interface NodeListing {
  readonly total: number
  readonly nodes: ReadonlyArray<ListedNode>
}

export class NodeViewStore extends Context.Service<
  NodeViewStore,
  {
    readonly findSummary: (mark: string, viewer: Actor) => Effect.Effect<Option.Option<NodeSummary>>
    /** The first of its children that the viewer may see, in their order. */
    readonly children: (id: NodeId, viewer: Actor) => Effect.Effect<ReadonlyArray<NodeId>>
    /** Changes whenever any of its children comes, goes, moves or changes. */
    readonly childrenVersion: (id: NodeId) => Effect.Effect<string>
    readonly list: (filter: NodeListFilter) => Effect.Effect<NodeListing, SearchTookTooLong>
  }
>()("forum/domain/NodeViewStore") {}
