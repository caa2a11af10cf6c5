/** The files of an account: which of them something still shows. */
import type { PgClient } from "@effect/sql-pg"
import type { RemainsStore } from "../../domain/erasure/RemainsStore.ts"
import type { AssetId } from "../../domain/shared/Id.ts"
import { idsOf } from "../shared/Query.ts"

/** How many files go at once; each may have several small versions. */
const filesAtOnce = 50

/** Columns that refer to files, other than by texts. */
const references = [
  ["node_assets", "asset_id"],
  ["nodes", "primary_image_id"],
  ["calendar_events", "primary_image_id"],
  ["categories", "cover_image_asset_id"],
  ["links", "favicon_id"],
  ["links", "primary_image_id"],
  ["theme_files", "asset_id"]
] as const

/** Texts that may show files, by their addresses. */
const texts = [
  "select body from posts where deleted_at is null",
  "select content from nodes",
  "select content from node_versions",
  "select description from calendar_events where deleted_at is null",
  "select value from property_values",
  "select bio from accounts where id <> $1",
  "select value::text from settings"
] as const

const isReferred = references.map(
  ([table, column]) => `exists (select from ${table} r where r.${column} = a.id)`
)

const text = `with showing as materialized (
    select t.text from (${texts.join(" union all ")}) t (text) where position('assets/' in t.text) > 0
  )
  select a.id from assets a where a.account_id = $1
    and not (${isReferred.join(" or ")} or exists (select from accounts o where o.avatar_id = a.id and o.id <> $1)
      or exists (select from showing where position(a.id in showing.text) > 0))
  limit ${filesAtOnce}`

export const makeUnusedAssets =
  (sql: PgClient.PgClient): RemainsStore["Service"]["unusedAssets"] =>
  (account) =>
    idsOf(sql.unsafe<{ readonly id: AssetId }>(text, [account]))
