import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { StoredClientAddress } from "../../domain/settings/ClientAddressSetting.ts"
import { StoredGeneral } from "../../domain/settings/GeneralSetting.ts"
import { ModerationChanges } from "../../domain/settings/ModerationSetting.ts"
import { StoredRateLimit } from "../../domain/settings/RateLimitSetting.ts"
import { SettingsStore } from "../../domain/settings/SettingsStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { shareRunningRead } from "../shared/shareRunningRead.ts"

const part = <Name extends string, Value, Encoded>(name: Name, value: Schema.Codec<Value, Encoded>) =>
  Schema.Struct({ part: Schema.Literal(name), value, version: Schema.String })

// The one row of each part, by name.
const rows = decoded(
  Schema.Union([
    part("general", StoredGeneral),
    part("moderation", ModerationChanges),
    part("rate_limiting", StoredRateLimit),
    part("client_ip", StoredClientAddress)
  ])
)

const allOf = (sql: SqlClient.SqlClient) => sql`select part, value, version::text from settings`

const read = (statement: ReturnType<typeof allOf>) =>
  Effect.flatMap(rows.all(statement), (found) => {
    const general = found.find((row) => row.part === "general")
    const moderation = found.find((row) => row.part === "moderation")
    const rate_limiting = found.find((row) => row.part === "rate_limiting")
    const client_ip = found.find((row) => row.part === "client_ip")
    return general === undefined ||
      moderation === undefined ||
      rate_limiting === undefined ||
      client_ip === undefined
      ? Effect.die(new Error("A part of the settings is missing"))
      : Effect.succeed({ general, moderation, rate_limiting, client_ip })
  })

export const layer = Layer.effect(
  SettingsStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return SettingsStore.of({
      all: shareRunningRead(read(allOf(reads))),

      allForUpdate: Effect.gen(function* () {
        yield* orDefect(locking("settings")(sql`select from settings order by part for no key update`))
        const { client_ip, general, moderation, rate_limiting } = yield* read(allOf(sql))
        return {
          general: general.value,
          moderation: moderation.value,
          rate_limiting: rate_limiting.value,
          client_ip: client_ip.value
        }
      }),

      save: (name, value, at) =>
        run(sql`update settings set value = ${sql.json({ ...value })}, updated_at = ${toDate(at)}
          where part = ${name}`)
    })
  })
)
