/** What happens to collections, for the event log. */
import { Schema } from "effect"
import { CollectionId, NodeId, PostId } from "../shared/Id.ts"

const collection = { id: CollectionId }
const post = { collection_id: CollectionId, post_id: PostId }
const node = { collection_id: CollectionId, node_id: NodeId }

export const CollectionCreated = Schema.TaggedStruct("CollectionCreated", collection)
export type CollectionCreated = typeof CollectionCreated.Type

export const CollectionUpdated = Schema.TaggedStruct("CollectionUpdated", collection)
export type CollectionUpdated = typeof CollectionUpdated.Type

export const CollectionDeleted = Schema.TaggedStruct("CollectionDeleted", collection)
export type CollectionDeleted = typeof CollectionDeleted.Type

export const CollectionPostAdded = Schema.TaggedStruct("CollectionPostAdded", post)
export type CollectionPostAdded = typeof CollectionPostAdded.Type

export const CollectionPostSubmitted = Schema.TaggedStruct("CollectionPostSubmitted", post)
export type CollectionPostSubmitted = typeof CollectionPostSubmitted.Type

export const CollectionPostAccepted = Schema.TaggedStruct("CollectionPostAccepted", post)
export type CollectionPostAccepted = typeof CollectionPostAccepted.Type

export const CollectionPostRemoved = Schema.TaggedStruct("CollectionPostRemoved", post)
export type CollectionPostRemoved = typeof CollectionPostRemoved.Type

export const CollectionNodeAdded = Schema.TaggedStruct("CollectionNodeAdded", node)
export type CollectionNodeAdded = typeof CollectionNodeAdded.Type

export const CollectionNodeSubmitted = Schema.TaggedStruct("CollectionNodeSubmitted", node)
export type CollectionNodeSubmitted = typeof CollectionNodeSubmitted.Type

export const CollectionNodeAccepted = Schema.TaggedStruct("CollectionNodeAccepted", node)
export type CollectionNodeAccepted = typeof CollectionNodeAccepted.Type

export const CollectionNodeRemoved = Schema.TaggedStruct("CollectionNodeRemoved", node)
export type CollectionNodeRemoved = typeof CollectionNodeRemoved.Type
