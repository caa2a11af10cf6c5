import type { Category } from "../../domain/category/Category.ts"
import type { CategoryId } from "../../domain/shared/Id.ts"
import { type JsonObject, misc } from "../../domain/shared/Json.ts"
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

/** Selects those columns from the `categories` table known as `c`. */
export const categoryColumns = [
  "id",
  "created_at",
  "updated_at",
  "name",
  "slug",
  "description",
  "colour",
  "sort",
  "parent_id",
  "meta",
  "post_count"
]
  .map((column) => `c.${column} as category_${column}`)
  .join(", ")

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
