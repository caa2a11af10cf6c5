import type { Category } from "../../domain/category/Category.ts"
import type { CategoryId } from "../../domain/shared/Id.ts"
import { type JsonObject, misc } from "../../domain/shared/Json.ts"
import type { Columns } from "../shared/Columns.ts"
import { shown } from "../shared/Rows.ts"

/** The columns of a category, prefixed so that a thread's row can carry its category's. */
export interface CategoryRow {
  readonly category_id: CategoryId
  readonly category_created_at: Date | string
  readonly category_updated_at: Date | string
  readonly category_name: string
  readonly category_slug: string
  readonly category_description: string
  readonly category_colour: string
  readonly category_sort: number
  readonly category_parent_id: CategoryId | null
  readonly category_meta: JsonObject
  readonly category_post_count: number
}

/** Those columns of the `categories` table known as `c`. */
export const categoryColumns: Columns<CategoryRow> = {
  category_id: "c.id",
  category_created_at: "c.created_at",
  category_updated_at: "c.updated_at",
  category_name: "c.name",
  category_slug: "c.slug",
  category_description: "c.description",
  category_colour: "c.colour",
  category_sort: "c.sort",
  category_parent_id: "c.parent_id",
  category_meta: "c.meta",
  category_post_count: "c.post_count"
}

export const categoryOf = (row: CategoryRow, children: ReadonlyArray<Category> = []): Category => ({
  id: row.category_id,
  createdAt: shown(row.category_created_at),
  updatedAt: shown(row.category_updated_at),
  misc,
  name: row.category_name,
  slug: row.category_slug,
  description: row.category_description,
  colour: row.category_colour,
  sort: row.category_sort,
  ...(row.category_parent_id === null ? {} : { parent: row.category_parent_id }),
  children,
  meta: row.category_meta,
  postCount: row.category_post_count
})
