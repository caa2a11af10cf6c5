import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AssetStore, type CountedUpload } from "../../domain/asset/AssetStore.ts"
import { dayOf, type Sum, sums, weightOf } from "../../domain/asset/UploadQuota.ts"
import { AssetId } from "../../domain/shared/Id.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all, decoded, isOneOf, run } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
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

const uploaded = decoded(
  Schema.Struct({ since: Schema.Date, account: Schema.Int, network: Schema.Int, instance: Schema.Int })
)

/** The name of the sum that an upload would make too large; null if it makes none too large. */
const exceeded = Schema.NullOr(Schema.Literals(sums))

const counted = decoded(Schema.Struct({ exceeded }))

const inserted = decoded(Schema.Struct({ isNoted: Schema.Boolean, exceeded }))

/** How many bytes a sum has for `name` on a day, as a column with the name of the sum. */
const sumOf = (sql: SqlClient.SqlClient, sum: Sum, name: string, day: string) =>
  sql`coalesce((select bytes from upload_totals t
    where t.day = ${day}::date and t.sum = ${sql.literal(`'${sum}'`)} and t.name = ${name}), 0)::float8
      as ${sql.literal(sum)}`

const storedText = `select id, filename, original_name as "originalName", mime_type as "mimeType",
  size::float8 as size, width, height, store from assets`

const keys = decoded(Schema.Struct({ id: Schema.String }))

const places = decoded(Schema.Struct({ key: Schema.String, store: StoreKind }))

// Removing a file takes milliseconds; files beyond this number are removed an hour later.
const abandonedTogether = 500

type Store = AssetStore["Service"]

/**
 * The SQL call that counts an upload in its sums: null, or the sum that it would make too large. Calls for the same sum
 * wait for each other.
 */
const counting = (
  sql: SqlClient.SqlClient,
  { at, limits: { account, instance, network }, size }: CountedUpload
) =>
  sql`count_upload(${dayOf(at)}::date, ${weightOf(size)}::bigint, ${account.name}::text,
    ${account.maximum ?? null}::bigint, ${network.name}::text, ${network.maximum ?? null}::bigint,
    ${instance.maximum ?? null}::bigint)`

const findStored =
  (reads: SqlClient.SqlClient): Store["findStored"] =>
  (id) =>
    Effect.map(stored.first(reads`${reads.literal(storedText)} where id = ${id}`), Option.fromUndefinedOr)

const findStoredByIds = (reads: SqlClient.SqlClient): Store["findStoredByIds"] =>
  Effect.fnUntraced(function* (ids) {
    if (ids.length === 0) return new Map()
    const rows = yield* stored.all(reads`${reads.literal(storedText)} where ${isOneOf(reads, "id", ids)}`)
    return new Map(rows.map((row) => [row.id, row]))
  })

const noteUploads =
  (sql: SqlClient.SqlClient): Store["noteUploads"] =>
  (noted, at) =>
    noted.length === 0
      ? Effect.void
      : run(sql`insert into asset_uploads (id, store, started_at)
          select id, store, ${toDate(at)}::timestamptz
          from unnest(${noted.map(({ key }) => key)}::text[], ${noted.map(({ store }) => store)}::text[])
            as noted (id, store)`)

const findUploaded =
  (reads: SqlClient.SqlClient): Store["findUploaded"] =>
  (account, network, day) =>
    Effect.flatMap(
      all(reads`select a.created_at as since, ${sumOf(reads, "account", account, day)},
          ${sumOf(reads, "network", network, day)}, ${sumOf(reads, "instance", "", day)}
        from accounts a where a.id = ${account}`),
      (rows) =>
        Effect.map(uploaded.one(rows), ({ since, ...uploaded }) => ({
          since: toDateTime(since),
          uploaded
        }))
    )

const countUpload =
  (sql: SqlClient.SqlClient): Store["countUpload"] =>
  (upload) =>
    Effect.flatMap(all(sql`select ${counting(sql, upload)} as exceeded`), (rows) =>
      Effect.map(counted.one(rows), ({ exceeded }) => exceeded ?? undefined)
    )

const forgetUploaded =
  (sql: SqlClient.SqlClient): Store["forgetUploaded"] =>
  (day) =>
    run(sql`delete from upload_totals where day < ${day}::date`)

const adoptUploads =
  (sql: SqlClient.SqlClient): Store["adoptUploads"] =>
  (adopted) =>
    Effect.map(
      keys.all(sql`with noted as (
          select id from asset_uploads where id = any(${adopted}::text[]) and not abandoned
          order by id for update
        )
        delete from asset_uploads where id in (select id from noted) returning id`),
      (rows) => rows.length === adopted.length
    )

// Uploads at the same time wait for each other's sums, for as long as this statement takes.
const insert = (sql: SqlClient.SqlClient): Store["insert"] =>
  Effect.fnUntraced(function* (asset, upload) {
    const count = upload === undefined ? sql`null` : counting(sql, upload)
    const { exceeded, isNoted } = yield* inserted.one(
      yield* all(sql`with noted as (
          select id from asset_uploads where id = ${asset.id} and not abandoned for update
        ), counted as (
          select id, ${count} as exceeded from noted
        ), kept as (
          insert into assets (id, created_at, account_id, filename, original_name, mime_type, size, width,
            height, parent_id, store)
          select id, ${toDate(asset.at)}, ${asset.owner ?? null}, ${asset.filename}, ${asset.originalName},
            ${asset.mimeType}, ${asset.size}, ${asset.width}, ${asset.height}, ${asset.parent ?? null},
            ${asset.store}
          from counted where exceeded is null
          returning id
        ), done as (
          delete from asset_uploads where id in (select id from kept)
        )
        select exists (select from noted) as "isNoted", (select exceeded from counted) as exceeded`)
    )
    return isNoted ? (exceeded ?? "inserted") : "abandoned"
  })

const forgetUploads =
  (sql: SqlClient.SqlClient): Store["forgetUploads"] =>
  (forgotten) =>
    run(sql`delete from asset_uploads where id = any(${forgotten}::text[])`)

const giveUpUploads =
  (sql: SqlClient.SqlClient): Store["giveUpUploads"] =>
  (given) =>
    places.all(sql`update asset_uploads set abandoned = true where id = any(${given}::text[])
      returning id as key, store`)

// Uploads that were abandoned before and could not be removed are selected again. While a backup holds the files, it
// still reads some that were replaced since it began: then there are none to remove.
const abandonUploads =
  (sql: SqlClient.SqlClient): Store["abandonUploads"] =>
  (before) =>
    places.all(sql`with held as materialized (select not pg_try_advisory_xact_lock(731620090, 0) as is_held)
      update asset_uploads set abandoned = true where id in (
        select id from asset_uploads where started_at < ${toDate(before)} and not (select is_held from held)
        order by started_at limit ${abandonedTogether})
      returning id as key, store`)

export const layer = Layer.effect(
  AssetStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reads = yield* QuickReads
    const { byIds } = yield* makeAssetReader

    return AssetStore.of({
      findByIds: byIds,
      findStored: findStored(reads),
      findStoredByIds: findStoredByIds(reads),
      noteUploads: noteUploads(sql),
      findUploaded: findUploaded(reads),
      countUpload: countUpload(sql),
      forgetUploaded: forgetUploaded(sql),
      adoptUploads: adoptUploads(sql),
      insert: insert(sql),
      forgetUploads: forgetUploads(sql),
      giveUpUploads: giveUpUploads(sql),
      abandonUploads: abandonUploads(sql)
    })
  })
)
