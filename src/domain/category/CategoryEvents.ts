/** What happens to categories, for the event log. */
import { Schema } from "effect"
import { CategoryId } from "../shared/Id.ts"

export const CategoryUpdated = Schema.TaggedStruct("CategoryUpdated", { id: CategoryId, slug: Schema.String })
export type CategoryUpdated = typeof CategoryUpdated.Type
