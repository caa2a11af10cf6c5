import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type AssetInsert, AssetStore } from "../../domain/asset/AssetStore.ts"
import { dayOf, weightOf } from "../../domain/asset/UploadQuota.ts"
import { AssetId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, decoded, isOneOf, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { makeAssetReader } from "./AssetRows.ts"

const StoreKind = Schema.Literals(["disk", "s3"])

const stored = decoded(
  Schema.Struct({
    id: AssetId,
    filename: Schema.String,
    originalName: Schema.String,
    mimeType: Schema.String,
    size: Schema.Int,
    width: Schema.Int,
    height: Schema.Int,
    store: StoreKind
  })
)

const uploaded = decoded(Schema.Struct({ bytes: Schema.Int }))

const inserted = decoded(Schema.Struct({ isNoted: Schema.Boolean, isKept: Schema.Boolean }))

const storedText = `select id, filename, original_name as "originalName", mime_type as "mimeType",
  size::float8 as size, width, height, store from assets`

const keys = decoded(Schema.Struct({ id: Schema.String }))

const places = decoded(Schema.Struct({ key: Schema.String, store: StoreKind }))

// A file is removed in milliseconds; the others have their turn an hour later.
const abandonedTogether = 500

export const layer = Layer.effect(
  AssetStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads
    const { byIds } = yield* makeAssetReader

    /** Adds to what an account has uploaded on the day, unless it would be more than the quota then. */
    const counting = (
      { at, owner, size }: Pick<AssetInsert, "at" | "owner" | "size">,
      quota: number | undefined,
      from: Statement.Fragment
    ) => sql`insert into upload_totals as t (account_id, day, bytes)
      select ${owner ?? null}::text, ${dayOf(at)}::date, ${weightOf(size)}::bigint ${from}
      where ${owner !== undefined && weightOf(size) <= (quota ?? Number.POSITIVE_INFINITY)}::boolean
      on conflict (account_id) do update set day = excluded.day,
        bytes = excluded.bytes + case when t.day = excluded.day then t.bytes else 0 end
      where ${quota === undefined}::boolean or t.day <> excluded.day
        or t.bytes + excluded.bytes <= ${quota ?? 0}::bigint
      returning account_id`

    return AssetStore.of({
      findByIds: byIds,

      findStored: (id) =>
        Effect.map(
          stored.first(reads`${reads.literal(storedText)} where id = ${id}`),
          Option.fromUndefinedOr
        ),

      findStoredByIds: Effect.fnUntraced(function* (ids) {
        if (ids.length === 0) return new Map()
        const rows = yield* stored.all(reads`${reads.literal(storedText)} where ${isOneOf(reads, "id", ids)}`)
        return new Map(rows.map((row) => [row.id, row]))
      }),

      noteUploads: (noted, at) =>
        noted.length === 0
          ? Effect.void
          : run(sql`insert into asset_uploads (id, store, started_at)
              select id, store, ${toDate(at)}::timestamptz
              from unnest(${noted.map(({ key }) => key)}::text[], ${noted.map(({ store }) => store)}::text[])
                as noted (id, store)`),

      findUploaded: (account, day) =>
        Effect.map(
          uploaded.first(
            reads`select bytes::float8 as bytes from upload_totals where account_id = ${account} and day = ${day}::date`
          ),
          (row) => row?.bytes ?? 0
        ),

      countUpload: (upload, quota) => some(counting(upload, quota, sql``)),

      adoptUploads: (adopted) =>
        Effect.map(
          keys.all(sql`with noted as (
              select id from asset_uploads where id = any(${adopted}::text[]) and not abandoned
              order by id for update
            )
            delete from asset_uploads where id in (select id from noted) returning id`),
          (rows) => rows.length === adopted.length
        ),

      // Uploads of one account at the same time wait for each other's totals, for as long as this statement takes.
      insert: Effect.fnUntraced(function* (asset, quota) {
        const { isKept, isNoted } = yield* inserted.one(
          yield* all(sql`with noted as (
              select id from asset_uploads where id = ${asset.id} and not abandoned for update
            ), counted as (
              ${counting(asset, quota, sql`from noted`)}
            ), kept as (
              insert into assets (id, created_at, account_id, filename, original_name, mime_type, size, width,
                height, parent_id, store)
              select id, ${toDate(asset.at)}, ${asset.owner ?? null}, ${asset.filename}, ${asset.originalName},
                ${asset.mimeType}, ${asset.size}, ${asset.width}, ${asset.height}, ${asset.parent ?? null},
                ${asset.store}
              from noted where ${asset.owner === undefined}::boolean or exists (select from counted)
              returning id
            ), done as (
              delete from asset_uploads where id in (select id from kept)
            )
            select exists (select from noted) as "isNoted", exists (select from kept) as "isKept"`)
        )
        return isKept ? "inserted" : isNoted ? "too much" : "abandoned"
      }),

      forgetUploads: (forgotten) => run(sql`delete from asset_uploads where id = any(${forgotten}::text[])`),

      giveUpUploads: (given) =>
        places.all(sql`update asset_uploads set abandoned = true where id = any(${given}::text[])
          returning id as key, store`),

      // Those that were abandoned before and could not be removed are among them again.
      abandonUploads: (before) =>
        places.all(sql`update asset_uploads set abandoned = true where id in (
            select id from asset_uploads where started_at < ${toDate(before)}
            order by started_at limit ${abandonedTogether})
          returning id as key, store`)
    })
  })
)
