/** What the rules of the library need from storage to change pages. */
import { Context, type DateTime, type Effect } from "effect"
import type { AccountId, AssetId, LinkId, NodeId, NodeVersionId } from "../shared/Id.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { RichText } from "../shared/RichText.ts"
import type { Visibility } from "../shared/Visibility.ts"
import type { NodeSlugTaken } from "./Node.ts"

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
  readonly linkId: LinkId | undefined
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
    readonly insert: (node: NodeInsert) => Effect.Effect<void, NodeSlugTaken>
    /** The page must be locked. Also notes when it was changed. */
    readonly update: (id: NodeId, changes: NodeUpdate, at: DateTime.Utc) => Effect.Effect<void, NodeSlugTaken>
  }
>()("forum/domain/NodeStore") {}
