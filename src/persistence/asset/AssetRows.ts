import { Effect } from "effect"
import { type Asset, assetPath } from "../../domain/asset/Asset.ts"
import type { AssetId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, isOneOf } from "../shared/Query.ts"

interface AssetRow {
  readonly id: AssetId
  readonly filename: string
  readonly mime_type: string
  readonly width: number
  readonly height: number
}

interface DerivedRow extends AssetRow {
  readonly parent_id: AssetId | null
  readonly parent_filename: string
  readonly parent_mime_type: string
  readonly parent_width: number
  readonly parent_height: number
}

const columns = `a.id, a.filename, a.mime_type, a.width, a.height, p.id as parent_id,
  p.filename as parent_filename, p.mime_type as parent_mime_type, p.width as parent_width,
  p.height as parent_height`

const assetOf = ({ filename, height, id, mime_type, width }: AssetRow): Asset => ({
  id,
  filename,
  path: assetPath(filename),
  mime_type,
  width,
  height
})

const parentOf = (row: DerivedRow): { readonly parent?: Asset } =>
  row.parent_id === null
    ? {}
    : {
        parent: assetOf({
          id: row.parent_id,
          filename: row.parent_filename,
          mime_type: row.parent_mime_type,
          width: row.parent_width,
          height: row.parent_height
        })
      }

/** Reads assets for pages that show them. */
export const makeAssetReader = Effect.map(QuickReads, (sql) => {
  /** The assets of these ids that exist, each with its parent. Runs no statement if there are no ids. */
  const byIds = Effect.fnUntraced(function* (ids: ReadonlyArray<AssetId>) {
    if (ids.length === 0) return new Map<AssetId, Asset>()
    const rows = yield* all(
      sql<DerivedRow>`select ${sql.literal(columns)} from assets a left join assets p on p.id = a.parent_id
        where ${isOneOf(sql, "a.id", ids)}`
    )
    return new Map(rows.map((row) => [row.id, { ...assetOf(row), ...parentOf(row) }]))
  })

  return { byIds } as const
})
