/** Mails as administrators read them, with their attempts; never what is in them. */
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type {
  EmailQueueAttempt,
  EmailQueueAttemptStatus,
  EmailQueueItem,
  EmailQueueStatus
} from "../../domain/mail/EmailQueueItem.ts"
import { type EmailFilter, type EmailPage, pageSize } from "../../domain/mail/EmailQueueStore.ts"
import type { EmailId } from "../../domain/shared/Id.ts"
import { spanOf } from "../shared/PageSpan.ts"
import { all, containing, first, isOneOf } from "../shared/Query.ts"
import { toTimestamp } from "../shared/Rows.ts"

interface Row {
  readonly id: EmailId
  readonly queued_at: Date
  readonly updated_at: Date
  readonly processed_at: Date | null
  readonly status: EmailQueueStatus
  readonly recipient_address: string
  readonly recipient_name: string
  readonly subject: string
}

interface AttemptRow {
  readonly email_id: EmailId
  readonly ended_at: Date
  readonly status: EmailQueueAttemptStatus
  readonly error: string | null
}

const columns = "id, queued_at, updated_at, processed_at, status, recipient_address, recipient_name, subject"

const attemptOf = ({ ended_at, error, status }: AttemptRow): EmailQueueAttempt => ({
  timestamp: toTimestamp(ended_at),
  status,
  ...(error === null ? {} : { error })
})

const emailOf = (row: Row, attempts: ReadonlyArray<AttemptRow>): EmailQueueItem => ({
  id: row.id,
  queued_at: toTimestamp(row.queued_at),
  updated_at: toTimestamp(row.updated_at),
  ...(row.processed_at === null ? {} : { processed_at: toTimestamp(row.processed_at) }),
  status: row.status,
  recipient_address: row.recipient_address,
  recipient_name: row.recipient_name,
  subject: row.subject,
  attempts: attempts.map(attemptOf)
})

/** Reads mails on these connections. */
export const emailsOn = (sql: SqlClient.SqlClient) => {
  const withAttempts = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const found = yield* all(sql<AttemptRow>`select email_id, ended_at, status, error from email_attempts
      where email_id = any(${ids}::text[]) order by email_id, number`)
    const byEmail = Map.groupBy(found, ({ email_id }) => email_id)
    return rows.map((row) => emailOf(row, byEmail.get(row.id) ?? []))
  })

  const find = Effect.fnUntraced(function* (id: EmailId) {
    const rows = yield* all(sql<Row>`select ${sql.literal(columns)} from email_queue where id = ${id}`)
    return Option.fromUndefinedOr((yield* withAttempts(rows))[0])
  })

  const conditionOf = ({ address, range: { end, start }, statuses }: EmailFilter) =>
    sql.and([
      address === "" ? sql.literal("true") : sql`recipient_address like ${containing(address.toLowerCase())}`,
      statuses.length === 0 ? sql.literal("true") : isOneOf(sql, "status", statuses),
      start === undefined ? sql.literal("true") : sql`queued_at >= ${start}`,
      end === undefined ? sql.literal("true") : sql`queued_at <= ${end}`
    ])

  /** How many there are is known of each status, and counted otherwise. */
  const countOf = (filter: EmailFilter) => {
    const { address, range, statuses } = filter
    const isKnown = address === "" && range.start === undefined && range.end === undefined
    return Effect.map(
      first(
        isKnown
          ? sql<{ readonly total: number }>`select coalesce(sum(emails), 0)::int as total from email_totals
              where ${statuses.length === 0 ? sql.literal("true") : isOneOf(sql, "status", statuses)}`
          : sql<{ readonly total: number }>`select count(*)::int as total from email_queue
              where ${conditionOf(filter)}`
      ),
      (row) => row?.total ?? 0
    )
  }

  const list = Effect.fnUntraced(function* (filter: EmailFilter, page: number) {
    const total = yield* countOf(filter)
    const { backwards, offset, size } = spanOf(page, pageSize, total)
    const order = sql.literal(backwards ? "queued_at, id" : "queued_at desc, id desc")
    const rows = yield* all(sql<Row>`select ${sql.literal(columns)} from email_queue
      where ${conditionOf(filter)} order by ${order} offset ${offset}::bigint limit ${size}`)
    const emails = yield* withAttempts(backwards ? rows.toReversed() : rows)
    return { total, emails } satisfies EmailPage
  })

  return { find, list } as const
}
