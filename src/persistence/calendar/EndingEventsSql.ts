/** The calendar events that end next, of those that somebody may see. */
import { Effect } from "effect"
import type { EndingEvents } from "../../domain/calendar/CalendarStore.ts"
import type { ParticipationStatus } from "../../domain/vocabulary/Participation.ts"
import { QuickReads } from "../shared/Connections.ts"
import { all } from "../shared/Query.ts"
import { isReadable } from "./CalendarListSql.ts"
import { type EventRow, eventColumns, foundOf } from "./CalendarRows.ts"

interface EndingRow extends EventRow {
  readonly caller_status: ParticipationStatus | null
}

export const makeEndingEvents = Effect.map(
  QuickReads,
  (sql) =>
    ({ from, limit, ofParticipant, readable }: EndingEvents) => {
      const joined = sql`calendar_participants mine on mine.event_id = e.id and mine.account_id = ${readable.viewer ?? null}`
      const joins = ofParticipant
        ? sql`join ${joined} and mine.status <> 'declined'`
        : sql`left join ${joined}`
      return Effect.map(
        all(sql<EndingRow>`select ${sql.literal(eventColumns)}, e.meta, mine.status as caller_status
      from calendar_events e ${joins}
      where e.deleted_at is null and ${isReadable(sql, readable)} and e.ends_at >= ${from}::timestamptz
      order by e.ends_at, e.id limit ${limit}::bigint`),
        (rows) => rows.map((row) => ({ event: foundOf(row), status: row.caller_status ?? undefined }))
      )
    }
)
