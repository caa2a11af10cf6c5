/** The files and tags that belong to nodes. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { assetsMax } from "../../domain/library/LibraryLimits.ts"
import { TooManyNodeAssets } from "../../domain/library/NodeProblems.ts"
import type { NodeStore } from "../../domain/library/NodeStore.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { makeNodeTags } from "./NodeTags.ts"

export const makeNodeBelongings = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tags = yield* makeNodeTags

  return {
    addAssets: Effect.fnUntraced(
      function* (id, assets, at) {
        if (assets.length === 0) return false
        // A microsecond apart, so that they stay in the order in which they were named: ids of files have none.
        const added = yield* sql`insert into node_assets (node_id, asset_id, added_at)
            select ${id}, named.id, ${toDate(at)}::timestamptz + named.place * interval '1 microsecond'
            from unnest(${assets}::text[]) with ordinality as named (id, place)
            on conflict do nothing returning node_id`
        if (added.length === 0) return false
        const [row] = yield* sql<{ readonly n: number }>`select count(*)::int as n from node_assets
            where node_id = ${id}`
        if ((row?.n ?? 0) > assetsMax) {
          return yield* new TooManyNodeAssets({ metadata: { maximum: assetsMax } })
        }
        return true
      },
      (addition) => orDefect(addition)
    ),

    removeAsset: Effect.fnUntraced(function* (id, asset) {
      const removed = yield* sql`delete from node_assets where node_id = ${id} and asset_id = ${asset}
          returning node_id`
      return removed.length > 0
    }, orDefect),

    setTags: (node, names, at) => orDefect(tags.set(node, names, toDate(at))),

    recountTags: Effect.fnUntraced(function* ({ id, visibility }, after) {
      if ((visibility === "published") === (after === "published")) return
      yield* tags.recount(yield* tags.tagsOf(id), visibility, after)
    }, orDefect)
  } satisfies Pick<NodeStore["Service"], "addAssets" | "recountTags" | "removeAsset" | "setTags">
})
