import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { AssetId } from "../../domain/shared/Id.ts"
import { ThemeList } from "../../domain/theme/Theme.ts"
import { ThemeStore } from "../../domain/theme/ThemeStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { shareRunningRead } from "../shared/shareRunningRead.ts"

const files = decoded(Schema.Struct({ list: ThemeList, assetId: AssetId, integrity: Schema.String }))

export const layer = Layer.effect(
  ThemeStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return ThemeStore.of({
      // One statement sees one theme, whoever replaces it meanwhile.
      files: shareRunningRead(
        files.all(reads`select list, asset_id as "assetId", integrity from theme_files order by list, place`)
      ),

      replace: Effect.fnUntraced(function* (replacing, by, at) {
        yield* run(locking("theme")(sql`update theme set set_at = ${toDate(at)}, set_by = ${by}`))
        yield* run(sql`delete from theme_files`)
        yield* run(sql`insert into theme_files (list, place, asset_id, integrity)
          select list, row_number() over (partition by list order by place) - 1, asset_id, integrity
          from unnest(${replacing.map(({ list }) => list)}::text[],
            ${replacing.map(({ assetId }) => assetId)}::text[],
            ${replacing.map(({ integrity }) => integrity)}::text[])
            with ordinality as f (list, asset_id, integrity, place)`)
      })
    })
  })
)
