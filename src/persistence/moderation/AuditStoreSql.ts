import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { AuditStore } from "../../domain/moderation/AuditLog.ts"
import { insertRows } from "../shared/insertRows.ts"
import { toDate } from "../shared/Rows.ts"
import { orDefect } from "../shared/SqlErrors.ts"

export const layer = Layer.effect(
  AuditStore,
  Effect.map(PgClient.PgClient, (sql) =>
    AuditStore.of({
      insert: (entries) =>
        insertRows(
          sql,
          "audit_events",
          entries.map((entry) => ({
            id: entry.id,
            occurred_at: toDate(entry.at),
            type: entry.type,
            enacted_by: entry.enactedBy ?? null,
            subject: entry.subject,
            cause_id: entry.causeId
          }))
        ).pipe(orDefect)
    })
  )
)
