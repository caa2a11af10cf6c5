import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ModerationChanges } from "../../domain/settings/ModerationSettings.ts"
import { SettingsStore } from "../../domain/settings/SettingsStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { coalesced } from "../shared/coalesced.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, run } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

const rows = decoded(Schema.Struct({ value: ModerationChanges, version: Schema.String }))

const moderationOf = (sql: SqlClient.SqlClient) =>
  sql`select value, version::text from settings where part = 'moderation'`

export const layer = Layer.effect(
  SettingsStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads

    return SettingsStore.of({
      moderation: coalesced(Effect.flatMap(orDefect(moderationOf(reads)), rows.one)),

      moderationForUpdate: Effect.flatMap(
        orDefect(locking("settings")(sql`${moderationOf(sql)} for no key update`)),
        rows.one
      ),

      saveModeration: (value, at) =>
        run(sql`update settings set value = ${sql.json({ ...value })}, updated_at = ${toDate(at)}
          where part = 'moderation'`)
    })
  })
)
