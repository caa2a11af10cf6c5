import { Effect, Schema } from "effect"
import type { Asset } from "../../domain/asset/Asset.ts"
import type { Category } from "../../domain/category/Category.ts"
import { JsonObject, misc } from "../../domain/field/Json.ts"
import { AssetId, CategoryId } from "../../domain/shared/Id.ts"
import { makeAssetReader } from "../asset/AssetRows.ts"
import { QuickReads } from "../shared/Connections.ts"
import { cacheByVersion } from "../shared/cacheByVersion.ts"
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
  cover_image_asset_id: Schema.NullOr(AssetId),
  meta: JsonObject,
  post_count: Schema.Int
})
type CategoryRow = typeof CategoryRow.Type

export const categoryRows = decoded(CategoryRow)

export const categoryColumns =
  "id, created_at, updated_at, name, slug, description, colour, sort, parent_id, cover_image_asset_id, meta, post_count"

type Covers = ReadonlyMap<AssetId, Asset>

const coverOf = ({ cover_image_asset_id: id }: CategoryRow, covers: Covers) => {
  const cover = id === null ? undefined : covers.get(id)
  return cover === undefined ? {} : { cover_image: cover }
}

export const categoryOf = (
  row: CategoryRow,
  covers: Covers,
  children: ReadonlyArray<Category> = []
): Category => ({
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
  ...coverOf(row, covers),
  children,
  meta: row.meta,
  postCount: row.post_count
})

/** Reads the cover images of categories; runs no statement if none of them has any. */
export const makeCoverReader = Effect.map(makeAssetReader, ({ byIds }) => (rows: Iterable<CategoryRow>) => {
  const ids = new Set<AssetId>()
  for (const { cover_image_asset_id: id } of rows) if (id !== null) ids.add(id)
  return byIds([...ids])
})

// A category takes about a kilobyte, and most forums have some dozens.
const kept = 1000

/** Reads categories for pages that show them, not older than a version of tags and categories that was read before. */
export const makeCategoryReader = Effect.gen(function* () {
  const sql = yield* QuickReads
  const coversOf = yield* makeCoverReader

  return cacheByVersion(
    kept,
    Effect.fnUntraced(function* (ids: ReadonlyArray<CategoryId>) {
      const rows = yield* all(
        sql<CategoryRow>`select ${sql.literal(categoryColumns)} from categories where ${isOneOf(sql, "id", ids)}`
      )
      const covers = yield* coversOf(rows)
      return rows.map((row): readonly [CategoryId, Category] => [row.id, categoryOf(row, covers)])
    })
  )
})
