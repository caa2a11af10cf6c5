/** What happens to collections, for the event log. */
import { Schema } from "effect"
import { CollectionId, PostId } from "../shared/Id.ts"

const collection = { id: CollectionId }
const post = { collection_id: CollectionId, post_id: PostId }

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
