/** What happens to categories, for the event log. */
import { Schema } from "effect"
import { CategoryId } from "../shared/Id.ts"

/** A category was created, changed or moved. */
export const CategoryUpdated = Schema.TaggedStruct("CategoryUpdated", { id: CategoryId, slug: Schema.String })
export type CategoryUpdated = typeof CategoryUpdated.Type

export const CategoryDeleted = Schema.TaggedStruct("CategoryDeleted", {
  id: CategoryId,
  slug: Schema.String,
  /** Where its threads are now. */
  moved_to: CategoryId
})
export type CategoryDeleted = typeof CategoryDeleted.Type
