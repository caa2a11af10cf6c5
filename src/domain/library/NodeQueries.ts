/** What is read of nodes to show them. */
import { Context, type Effect, type Option } from "effect"
import type { Actor } from "../shared/Actor.ts"
import type { AccountId, NodeId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { VisibilityFilter } from "../shared/Visibility.ts"
import type { SearchTookTooLong } from "../text/TextProblem.ts"
import type { ChildSort } from "./ChildSort.ts"
import type { NodeTreeItem, NodeWithChildren } from "./Node.ts"
import type { NodeSummary } from "./NodeRules.ts"

/** How much is shown of a node: so many of its parts, as `nodePartNames` orders them. */
export interface WantedNode {
  readonly id: NodeId
  readonly parts: number
}

/** A node without its children and the node that contains it. */
export interface ShownNode extends Omit<NodeWithChildren, "children" | "parent"> {
  readonly parentId: NodeId | undefined
}

/** A node that may lack parts, without its children and the node that contains it. */
export interface ListedNode extends Omit<NodeTreeItem, "children" | "parent"> {
  readonly parentId: NodeId | undefined
}

/** A node with some of its children and what contains it, as far as they fit into an answer. */
export interface NodeFamily {
  readonly node: ShownNode
  readonly parent: ListedNode | undefined
  readonly children: ReadonlyArray<ShownNode>
}

/** A published node before what it shows is read. */
export interface NewestNode {
  readonly id: NodeId
  /** Changes whenever anything does that the node shows by itself. */
  readonly version: string
  /** About how many bytes of an answer it takes. */
  readonly size: number
}

/** Which nodes to list. */
export interface NodeListFilter {
  /** In a tree, a node is listed if the nodes that contain it are; in a flat list, each node by itself. */
  readonly format: "tree" | "flat"
  /** The node at the top; undefined are all at the top level. */
  readonly root: NodeId | undefined
  readonly owner: AccountId | undefined
  readonly filter: VisibilityFilter
  readonly viewer: AccountId | undefined
  /** How many levels below the top are listed. */
  readonly depth: number
  /** A part of the name, in the form in which texts are compared. */
  readonly text: string | undefined
  readonly place: ListPlace
}

/** Nodes by depth, then in the order of siblings, not all of them with all their parts, and how many there are. */
export interface NodeListing extends ListExtent {
  readonly nodes: ReadonlyArray<ListedNode>
}

/** Which children of a node to list, and in which order. */
export interface ChildQuery {
  readonly parent: NodeId
  readonly visible: VisibilityFilter
  readonly viewer: AccountId | undefined
  /** What the children are sorted by; if undefined, or if they share no such property, the order set by hand. */
  readonly sort: ChildSort | undefined
  /** What the names contain, in the form in which texts are compared. */
  readonly name: string | undefined
  /** Slugs of tags: each listed child has one of these tags. If empty, tags do not matter. */
  readonly tags: ReadonlyArray<string>
  readonly place: ListPlace
}

/** A page of the children of a node. */
export interface ChildPage extends ListExtent {
  readonly ids: ReadonlyArray<NodeId>
}

export class NodeQueries extends Context.Service<
  NodeQueries,
  {
    /** What is read before all else of the node that an address names: who may see it, its version. */
    readonly findSummary: (mark: string, viewer: Actor) => Effect.Effect<Option.Option<NodeSummary>>
    /** The first children of a node that the viewer may see, in their order. */
    readonly children: (id: NodeId, viewer: Actor) => Effect.Effect<ReadonlyArray<NodeId>>
    /** A version that changes whenever any child of a node comes, goes, moves or changes. */
    readonly childrenVersion: (id: NodeId) => Effect.Effect<string>
    /** The list of all nodes. */
    readonly list: (filter: NodeListFilter) => Effect.Effect<NodeListing, SearchTookTooLong>
    /** The published nodes that changed last, that one first. */
    readonly newest: (limit: number) => Effect.Effect<ReadonlyArray<NewestNode>>
    /** The nodes with these ids that exist, as a whole, in the order of the ids, whoever may see them. */
    readonly whole: (ids: ReadonlyArray<NodeId>) => Effect.Effect<ReadonlyArray<ShownNode>>
    /** The wanted nodes that exist, each with so many of its parts, in this order, whoever may see them. */
    readonly listed: (pages: ReadonlyArray<WantedNode>) => Effect.Effect<ReadonlyArray<ListedNode>>
    /**
     * A node as a whole, with all of these children or with the first ones that an answer has room for, and one at
     * least. They are whole; the parent may lack parts. Undefined if the node is gone.
     */
    readonly family: (
      id: NodeId,
      parent: NodeId | undefined,
      children: ReadonlyArray<NodeId>,
      shown: "first" | "all"
    ) => Effect.Effect<NodeFamily | undefined>
    /** About how many bytes of an answer the parts of nodes take, as `nodePartNames` orders them. */
    readonly sizesOf: (
      ids: ReadonlyArray<NodeId>
    ) => Effect.Effect<ReadonlyMap<NodeId, ReadonlyArray<number>>>
    /** A page of children. It has `childrenShown` places, of which large children take several. */
    readonly childPage: (query: ChildQuery) => Effect.Effect<ChildPage, SearchTookTooLong>
  }
>()("forum/domain/NodeQueries") {}
