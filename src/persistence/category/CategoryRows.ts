import { Effect, Schema } from "effect"
import { LRUCache } from "lru-cache"
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

/** A category as something else refers to it, of a version that was read before. */
export interface CategoryRef {
  readonly id: CategoryId
  readonly version: string
}

interface VersionedRow extends CategoryRow {
  readonly version: string
}

// A category takes about a kilobyte, and most forums have some dozens.
const kept = 1000

/** Reads categories for pages that show them, those that have not changed since from memory. */
export const makeCategoryReader = Effect.map(QuickReads, (sql) => {
  const known = new LRUCache<CategoryId, { readonly version: string; readonly category: Category }>({
    max: kept
  })

  return Effect.fnUntraced(function* (refs: Iterable<CategoryRef>) {
    const found = new Map<CategoryId, Category>()
    const missing = new Set<CategoryId>()
    for (const { id, version } of refs) {
      const entry = known.get(id)
      if (entry?.version === version) found.set(id, entry.category)
      else missing.add(id)
    }
    if (missing.size === 0) return found
    const rows = yield* all(
      sql<VersionedRow>`select ${sql.literal(categoryColumns)}, version::text from categories
        where ${isOneOf(sql, "id", [...missing])}`
    )
    for (const row of rows) {
      const category = categoryOf(row)
      found.set(row.id, category)
      // What was read may be newer than what was asked for.
      known.set(row.id, { version: row.version, category })
    }
    return found
  })
})
