/** What the collection rules need from storage. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ProfileReference } from "../account/Profile.ts"
import type { Timestamp } from "../field/Resource.ts"
import type { AccountId, CollectionId, NodeId, PostId } from "../shared/Id.ts"
import type { ListExtent, ListPlace } from "../shared/ListPlace.ts"
import type { Mark } from "../shared/Mark.ts"
import type { ItemRef, ItemState } from "./Collectable.ts"
import type { Collection, MembershipType } from "./Collection.ts"
import type { CollectionViewer, Membership } from "./CollectionRules.ts"

export interface CollectionInsert {
  readonly id: CollectionId
  readonly at: DateTime.Utc
  readonly ownerId: AccountId
  readonly name: string
  /** The part that follows the id. */
  readonly slug: string
  readonly description: string | undefined
}

/** A change of a collection: what is absent stays as it is. */
export interface CollectionUpdate {
  readonly name?: string
  readonly slug?: string
  /** An empty one is none. */
  readonly description?: string
}

/** A collection that is locked until the transaction ends. */
export interface LockedCollection {
  readonly id: CollectionId
  readonly ownerId: AccountId
  readonly items: number
  readonly submissions: number
}

export interface NewItem extends Membership {
  readonly id: string
  readonly at: DateTime.Utc
  readonly addedBy: AccountId
  readonly item: ItemState
}

/** An item without the post or page itself. */
export interface StoredItem extends Membership {
  readonly item: ItemState
  /** Who wrote the post or owns the node. */
  readonly maker: ProfileReference
  readonly addedAt: Timestamp
  /** About how many bytes each part of the item takes in answers, in the order of its kind. */
  readonly sizes: ReadonlyArray<number>
}

export interface CollectionQuery {
  readonly viewer: CollectionViewer
  /** The owner of the listed collections; if absent, collections of any account are listed. */
  readonly owner: AccountId | undefined
  /** The item that each collection says of whether it contains it. */
  readonly item: ItemRef | undefined
  readonly place: ListPlace
}

export interface CollectionPage extends ListExtent {
  readonly collections: ReadonlyArray<Collection>
}

export class CollectionStore extends Context.Service<
  CollectionStore,
  {
    /** A page, newest first. */
    readonly list: (query: CollectionQuery) => Effect.Effect<CollectionPage>
    readonly find: (mark: Mark, viewer: CollectionViewer) => Effect.Effect<Option.Option<Collection>>
    /** What is in the collection and what was submitted to it, except what is deleted; most recently added first. */
    readonly items: (collection: Collection) => Effect.Effect<ReadonlyArray<StoredItem>>

    /** How many collections the account has, as long as the transaction lasts. */
    readonly countForUpdate: (owner: AccountId) => Effect.Effect<number>
    readonly insert: (collection: CollectionInsert) => Effect.Effect<void>
    /** The collection, which is locked before everything in it. */
    readonly findForUpdate: (mark: Mark) => Effect.Effect<Option.Option<LockedCollection>>
    readonly update: (id: CollectionId, changes: CollectionUpdate, at: DateTime.Utc) => Effect.Effect<void>
    readonly delete: (id: CollectionId) => Effect.Effect<void>

    /** The item's place in a locked collection. */
    readonly findItem: (id: CollectionId, item: ItemRef) => Effect.Effect<Option.Option<Membership>>
    /** How many submissions of an account await the owner of a locked collection. */
    readonly countSubmissions: (id: CollectionId, by: AccountId) => Effect.Effect<number>
    readonly insertItem: (collection: LockedCollection, item: NewItem) => Effect.Effect<void>
    readonly setMembership: (id: CollectionId, item: ItemRef, type: MembershipType) => Effect.Effect<void>
    readonly deleteItem: (id: CollectionId, item: ItemRef) => Effect.Effect<void>
    /** Removes what has been deleted, with all posts of deleted threads, from all collections. */
    readonly forget: (deleted: {
      readonly threads?: ReadonlyArray<PostId>
      readonly replies?: ReadonlyArray<PostId>
      readonly nodes?: ReadonlyArray<NodeId>
    }) => Effect.Effect<void>
  }
>()("forum/domain/CollectionStore") {}

/** Collections on a page. */
export const pageSize = 50
