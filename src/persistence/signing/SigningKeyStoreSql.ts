import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import { SigningKeyStore, type StoredKey } from "../../domain/signing/SigningKeyStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded, run, some } from "../shared/Query.ts"
import { toDate, toDateTime } from "../shared/Rows.ts"
import { shareRunningRead } from "../shared/shareRunningRead.ts"

const keys = decoded(
  Schema.Struct({
    kid: Schema.String,
    generation: Schema.Int,
    modulus: Schema.String,
    exponent: Schema.String,
    private_key: Schema.Uint8Array,
    signs_from: Schema.Date
  })
)

export const layer = Layer.effect(
  SigningKeyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return SigningKeyStore.of({
      all: shareRunningRead(
        Effect.map(
          keys.all(reads`select kid, generation, modulus, exponent, private_key, signs_from
            from signing_keys order by generation`),
          (rows) =>
            rows.map(
              ({ exponent, generation, kid, modulus, private_key, signs_from }): StoredKey => ({
                kid,
                n: modulus,
                e: exponent,
                generation,
                signsFrom: toDateTime(signs_from),
                sealed: private_key
              })
            )
        )
      ),

      insert: ({ at, e, generation, kid, n, sealed, signsFrom }) =>
        some(sql`insert into signing_keys
            (kid, generation, modulus, exponent, private_key, created_at, signs_from)
          values (${kid}, ${generation}, ${n}, ${e}, ${sealed}, ${toDate(at)}, ${toDate(signsFrom)})
          on conflict (generation) do nothing returning kid`),

      remove: (kids) => run(sql`delete from signing_keys where kid = any(${kids}::text[])`)
    })
  })
)
