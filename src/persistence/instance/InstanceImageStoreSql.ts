import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { ResizedImages } from "../../domain/asset/ResizedImages.ts"
import { InstanceImageStore } from "../../domain/instance/InstanceImages.ts"
import type { ImageKind } from "../../domain/vocabulary/Kinds.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, run } from "../shared/Query.ts"
import { orDefect } from "../shared/SqlErrors.ts"

const uploads = decoded(
  Schema.Struct({
    id: Schema.NullOr(Schema.String),
    store: Schema.NullOr(Schema.Literals(["disk", "s3"])),
    lengths: Schema.NullOr(Schema.Record(Schema.String, Schema.Int))
  })
)

const ofKind = (sql: SqlClient.SqlClient, kind: ImageKind) =>
  sql`select upload_id as id, store, lengths from instance_images where kind = ${kind}`

type Upload = Effect.Success<ReturnType<typeof uploads.first>>

const imagesOf = (upload: Upload): ResizedImages | undefined => {
  const { id, lengths, store } = upload ?? { id: null, lengths: null, store: null }
  return id === null || store === null || lengths === null ? undefined : { id, store, lengths }
}

export const layer = Layer.effect(
  InstanceImageStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return InstanceImageStore.of({
      find: (kind) => Effect.map(uploads.first(ofKind(reads, kind)), imagesOf),

      replace: Effect.fnUntraced(function* (kind, { id, lengths, store }) {
        const rows = yield* orDefect(locking("instance image")(sql`${ofKind(sql, kind)} for no key update`))
        const former = yield* uploads.one(rows)
        yield* run(sql`update instance_images set upload_id = ${id}, store = ${store},
          lengths = ${sql.json({ ...lengths })} where kind = ${kind}`)
        return imagesOf(former)
      })
    })
  })
)
