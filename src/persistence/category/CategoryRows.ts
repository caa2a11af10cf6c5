import { Effect, Schema } from "effect"
import type { Category } from "../../domain/category/Category.ts"
import { CategoryId } from "../../domain/shared/Id.ts"
import { JsonObject, misc } from "../../domain/shared/Json.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, decoded, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

export const CategoryRow = Schema.Struct({
  id: CategoryId,
  created_at: Schema.Date,
  updated_at: Schema.Date,
  name: Schema.String,
  slug: Schema.String,
  description: Schema.String,
  colour: Schema.String,
  sort: Schema.Int,
  parent_id: Schema.NullOr(CategoryId),
  meta: JsonObject,
  post_count: Schema.Int
})
type CategoryRow = typeof CategoryRow.Type

export const categoryRows = decoded(CategoryRow)

export const categoryColumns =
  "id, created_at, updated_at, name, slug, description, colour, sort, parent_id, meta, post_count"

export const categoryOf = (row: CategoryRow, children: ReadonlyArray<Category> = []): Category => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  misc,
  name: row.name,
  slug: row.slug,
  description: row.description,
  colour: row.colour,
  sort: row.sort,
  ...(row.parent_id === null ? {} : { parent: row.parent_id }),
  children,
  meta: row.meta,
  postCount: row.post_count
})

/** Reads categories for pages that show them. */
export const makeCategoryReader = Effect.map(QuickReads, (sql) =>
  Effect.fnUntraced(function* (ids: Iterable<CategoryId>) {
    const wanted = [...new Set(ids)]
    if (wanted.length === 0) return new Map<CategoryId, Category>()
    const rows = yield* all(
      sql<CategoryRow>`select ${sql.literal(categoryColumns)} from categories where ${isOneOf(sql, "id", wanted)}`
    )
    return new Map(rows.map((row) => [row.id, categoryOf(row)]))
  })
)
