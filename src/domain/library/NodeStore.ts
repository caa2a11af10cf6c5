/** What the rules of the library need from storage to change pages. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, AssetId, LinkId, NodeId, NodeVersionId } from "../shared/Id.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { RichText } from "../text/RichText.ts"
import type { NodeNotFound, NodeSlugTaken } from "./Node.ts"
import type { NodeTooDeep, TooManyNodeAssets } from "./NodeProblems.ts"

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

/** Absent keys stay as they are, null clears. */
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

export class NodeStore extends Context.Service<
  NodeStore,
  {
    /** The last one of its siblings; their group must be locked. */
    readonly insert: (node: NodeInsert) => Effect.Effect<void, NodeNotFound | NodeSlugTaken | NodeTooDeep>
    readonly findContent: (id: NodeId) => Effect.Effect<Option.Option<RichText>>
    /** The page must be locked. Also notes when it was changed. */
    readonly update: (id: NodeId, changes: NodeUpdate, at: DateTime.Utc) => Effect.Effect<void, NodeSlugTaken>
    /** The same without its slug, which is all that may be refused. */
    readonly amend: (id: NodeId, changes: Omit<NodeUpdate, "slug">, at: DateTime.Utc) => Effect.Effect<void>
    /** Adds files to a page that is locked, and answers whether it lacked any. Whether they exist is for the caller to know. */
    readonly addAssets: (
      id: NodeId,
      assets: ReadonlyArray<AssetId>,
      at: DateTime.Utc
    ) => Effect.Effect<boolean, TooManyNodeAssets>
    /** Answers whether the page, which is locked, had the file. */
    readonly removeAsset: (id: NodeId, asset: AssetId) => Effect.Effect<boolean>
    /** Makes these the tags of a page that is locked. Tags count pages that are published. */
    readonly setTags: (
      node: { readonly id: NodeId; readonly visibility: Visibility },
      names: ReadonlyArray<string>,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** Lets its tags count a page whose visibility becomes another one. */
    readonly recountTags: (
      node: { readonly id: NodeId; readonly visibility: Visibility },
      after: Visibility
    ) => Effect.Effect<void>
  }
>()("forum/domain/NodeStore") {}
