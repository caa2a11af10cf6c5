/** What the rules of the library need from storage to find, lock, change and move nodes. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, AssetId, LinkId, NodeId, NodeVersionId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { RichText } from "../text/RichText.ts"
import type { NodeNotFound, NodeSlugTaken } from "./Node.ts"
import type { NodeTooDeep, TooManyNodeAssets } from "./NodeProblems.ts"
import type { NodeState } from "./NodeRules.ts"
import type { Spot } from "./TreeRules.ts"

export interface NodeInsert {
  readonly id: NodeId
  readonly at: DateTime.Utc
  readonly ownerId: AccountId
  readonly parentId: NodeId | undefined
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly content: RichText | undefined
  readonly hideChildTree: boolean
  readonly visibility: Visibility
  readonly meta: JsonObject
  readonly primaryImageId: AssetId | undefined
}

/** A change of a node: what is absent stays as it is, null clears. */
export interface NodeUpdate {
  readonly name?: string
  readonly slug?: string
  readonly description?: string
  readonly content?: RichText | null
  readonly hideChildTree?: boolean
  readonly visibility?: Visibility
  readonly meta?: JsonObject
  readonly linkId?: LinkId | null
  readonly primaryImageId?: AssetId | null
  readonly currentVersionId?: NodeVersionId | null
}

/** The node in which others are; undefined is the top level. */
export type Group = NodeId | undefined

export type Child = Pick<NodeState, "id" | "slug" | "ownerId" | "visibility">

export class NodeStore extends Context.Service<
  NodeStore,
  {
    /** The node that an address names: by its id, its id with a hyphen and any text, or its slug. */
    readonly find: (mark: string) => Effect.Effect<Option.Option<NodeState>>
    /** The node that an address names, which stays as it is until the transaction ends; so does whether it has a draft. */
    readonly findForUpdate: (mark: string) => Effect.Effect<Option.Option<NodeState>>
    /** Locks the tree: nobody else adds, moves or deletes nodes, or changes fields, until the transaction ends. */
    readonly lockTree: Effect.Effect<void>
    /**
     * Locks the children of a node: nobody else moves or deletes any node, adds one to this node, or changes the
     * fields that its children share, until the transaction ends. Undefined is the top level.
     */
    readonly lockGroup: (parent: NodeId | undefined) => Effect.Effect<void>
    /** Locks as `lockGroup` does, for the node that by then contains the one which an address names. */
    readonly lockGroupOf: (mark: string) => Effect.Effect<void>

    /** Adds a node as the last one of its siblings, whose group must be locked. */
    readonly insert: (node: NodeInsert) => Effect.Effect<void, NodeNotFound | NodeSlugTaken | NodeTooDeep>
    readonly findContent: (id: NodeId) => Effect.Effect<Option.Option<RichText>>
    /** Changes a node, which must be locked, and notes when it was changed. */
    readonly update: (id: NodeId, changes: NodeUpdate, at: DateTime.Utc) => Effect.Effect<void, NodeSlugTaken>
    /** Changes a node but for its slug, which is all that may be refused. */
    readonly amend: (id: NodeId, changes: Omit<NodeUpdate, "slug">, at: DateTime.Utc) => Effect.Effect<void>
    /** Adds files to a node that is locked, and answers whether it lacked any. Whether they exist is for the caller to know. */
    readonly addAssets: (
      id: NodeId,
      assets: ReadonlyArray<AssetId>,
      at: DateTime.Utc
    ) => Effect.Effect<boolean, TooManyNodeAssets>
    /** Answers whether the node, which is locked, had the file. */
    readonly removeAsset: (id: NodeId, asset: AssetId) => Effect.Effect<boolean>
    /** Makes these the tags of a node that is locked. Tags count nodes that are published. */
    readonly setTags: (
      node: { readonly id: NodeId; readonly visibility: Visibility },
      names: ReadonlyArray<string>,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** Lets its tags count a node whose visibility becomes another one. */
    readonly recountTags: (
      node: { readonly id: NodeId; readonly visibility: Visibility },
      after: Visibility
    ) => Effect.Effect<void>

    // The tree must be locked for what follows.

    /** The nodes that contain this one, from the inside. */
    readonly above: (id: NodeId) => Effect.Effect<ReadonlyArray<NodeId>>
    /** Puts a node next to a sibling in a group, or after all of them. */
    readonly move: (id: NodeId, to: Group, spot: Spot, at: DateTime.Utc) => Effect.Effect<void, NodeTooDeep>
    /** The first nodes that a node contains, `limit` at most, in their order. */
    readonly children: (id: NodeId, limit: number) => Effect.Effect<ReadonlyArray<Child>>
    /** Puts nodes after the nodes of a group, in this order. */
    readonly moveAll: (
      nodes: ReadonlyArray<Child>,
      to: Group,
      at: DateTime.Utc
    ) => Effect.Effect<void, NodeTooDeep>
    /** Deletes a node that contains no other one, with its versions and values. It must be locked. */
    readonly delete: (node: Pick<NodeState, "id" | "visibility">) => Effect.Effect<void>
  }
>()("forum/domain/NodeStore") {}
