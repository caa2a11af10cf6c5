/** What the rules of versions need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { JsonObject } from "../field/Json.ts"
import type { AccountId, NodeId, NodeVersionId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { LinkAddress } from "../text/LinkAddress.ts"
import type { RichText } from "../text/RichText.ts"
import type { NodeDraftExists } from "./Node.ts"
import type { NodeState } from "./NodeRules.ts"
import type { NodeText } from "./NodeText.ts"
import type { NodeVersion, TooManyNodeDrafts } from "./NodeVersion.ts"
import type { ProposedProperties, SeenVersions, VersionStanding } from "./VersionRules.ts"

/** A version by its id, or the draft of its node. */
export type VersionMark = NodeVersionId | "draft"

/** What a draft changes. Absent keys stay as they are, null clears. */
export interface DraftOverlay {
  readonly name?: string
  readonly slug?: string
  readonly description?: string | null
  readonly text?: NodeText | null
  readonly proposed?: ProposedProperties
  readonly meta?: JsonObject
}

export interface NewDraft {
  readonly id: NodeVersionId
  readonly at: DateTime.Utc
  readonly authorId: AccountId
  readonly overlay: DraftOverlay
}

/** A version as those who change it know it. */
export interface VersionState extends VersionStanding {
  readonly id: NodeVersionId
}

/** What a draft makes of its node. */
export interface DraftContent {
  readonly name: string
  readonly slug: string
  readonly description: string | undefined
  readonly content: RichText | undefined
  /** The description that the content gives the node, if the content is not the node's own. */
  readonly excerpt: string | undefined
  /** What the content links to, if the content is not the node's own. */
  readonly links: ReadonlyArray<LinkAddress> | undefined
  readonly meta: JsonObject
  /** What the draft says of properties; absent if it says nothing. */
  readonly proposed: ProposedProperties | undefined
}

/** Whose drafts are listed: all, or those of an account. */
export type DraftSelection = "all" | { readonly authorId: AccountId }

export interface VersionPage extends ListExtent {
  /** The versions on this page, each without the version that was applied before it. */
  readonly versions: ReadonlyArray<NodeVersion>
}

export class VersionStore extends Context.Service<
  VersionStore,
  {
    /** A version of a node, with the one that was applied before it if it is applied. */
    readonly find: (nodeId: NodeId, mark: VersionMark) => Effect.Effect<Option.Option<NodeVersion>>
    /** How many versions of a node have been applied, and whose draft it has. */
    readonly seen: (
      nodeId: NodeId
    ) => Effect.Effect<Pick<SeenVersions, "applied"> & { readonly drafter: AccountId | undefined }>
    /** A page of the versions of a node that are seen, newest first. */
    readonly list: (nodeId: NodeId, seen: SeenVersions, place: ListPlace) => Effect.Effect<VersionPage>
    /** A page of drafts, last changed first. */
    readonly drafts: (selection: DraftSelection, place: ListPlace) => Effect.Effect<VersionPage>
    /** The content of a draft if it is the node's own, so that nobody has looked into it yet. */
    readonly findUnread: (nodeId: NodeId, id: NodeVersionId) => Effect.Effect<Option.Option<RichText>>

    /** A version as it is now. For this method and all that follow, the node must be locked. */
    readonly findState: (nodeId: NodeId, mark: VersionMark) => Effect.Effect<Option.Option<VersionState>>
    /** Creates a draft: what the node has now, with what the draft changes. */
    readonly insert: (
      node: Pick<NodeState, "id" | "parentId">,
      draft: NewDraft
    ) => Effect.Effect<NodeVersion, NodeDraftExists | TooManyNodeDrafts>
    readonly update: (id: NodeVersionId, overlay: DraftOverlay, at: DateTime.Utc) => Effect.Effect<void>
    readonly readDraft: (id: NodeVersionId) => Effect.Effect<DraftContent>
    /** Makes a draft the newest of the versions that have been applied. It says what became of the properties. */
    readonly markApplied: (
      node: Pick<NodeState, "id" | "parentId">,
      id: NodeVersionId,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    readonly delete: (id: NodeVersionId) => Effect.Effect<void>
  }
>()("forum/domain/VersionStore") {}
