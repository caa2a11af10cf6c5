/** What happens to nodes of the library, for the event log. */
import { Schema } from "effect"
import { AccountId, NodeId, NodeVersionId } from "../shared/Id.ts"
import { Standing } from "./Standing.ts"

// Of the node. Older events lack it.
const standing = { standing: Schema.optionalKey(Standing) }

const node = { id: NodeId, slug: Schema.String, ...standing }

export const NodeCreated = Schema.TaggedStruct("NodeCreated", node)
export type NodeCreated = typeof NodeCreated.Type

/** What it says, what belongs to it, the fields of its properties or its place has changed. */
export const NodeUpdated = Schema.TaggedStruct("NodeUpdated", node)
export type NodeUpdated = typeof NodeUpdated.Type

export const NodeDeleted = Schema.TaggedStruct("NodeDeleted", node)
export type NodeDeleted = typeof NodeDeleted.Type

export const NodePublished = Schema.TaggedStruct("NodePublished", node)
export type NodePublished = typeof NodePublished.Type

export const NodeSubmittedForReview = Schema.TaggedStruct("NodeSubmittedForReview", node)
export type NodeSubmittedForReview = typeof NodeSubmittedForReview.Type

export const NodeUnpublished = Schema.TaggedStruct("NodeUnpublished", node)
export type NodeUnpublished = typeof NodeUnpublished.Type

/** Fields of properties were deleted for which pages had values, and these with them. */
export const NodeFieldsDeleted = Schema.TaggedStruct("NodeFieldsDeleted", {
  // The page whose children shared the fields, or the one at the top level that had them.
  id: NodeId,
  names: Schema.Array(Schema.String),
  values: Schema.Int
})
export type NodeFieldsDeleted = typeof NodeFieldsDeleted.Type

const draft = {
  node_id: NodeId,
  node_slug: Schema.String,
  version_id: NodeVersionId,
  author_id: AccountId,
  // The owner of the node, not of the draft.
  owner_id: AccountId,
  ...standing
}

export const NodeVersionDraftCreated = Schema.TaggedStruct("NodeVersionDraftCreated", draft)
export type NodeVersionDraftCreated = typeof NodeVersionDraftCreated.Type

export const NodeVersionDraftUpdated = Schema.TaggedStruct("NodeVersionDraftUpdated", draft)
export type NodeVersionDraftUpdated = typeof NodeVersionDraftUpdated.Type

export const NodeVersionDraftApplied = Schema.TaggedStruct("NodeVersionDraftApplied", draft)
export type NodeVersionDraftApplied = typeof NodeVersionDraftApplied.Type

export const NodeVersionDraftDeleted = Schema.TaggedStruct("NodeVersionDraftDeleted", draft)
export type NodeVersionDraftDeleted = typeof NodeVersionDraftDeleted.Type
