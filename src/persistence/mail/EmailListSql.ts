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
import type { ListPlace } from "../../domain/shared/ListPlace.ts"
import { pagedList } from "../shared/PagedList.ts"
import { all, containing, isOneOf, isWithin } from "../shared/Query.ts"
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

const columns = `e.id, e.queued_at, e.updated_at, e.processed_at, e.status, e.recipient_address, e.recipient_name,
  e.subject`

const newestFirst = pagedList<Row>({
  table: "email_queue",
  row: "e",
  columns,
  order: [
    ["e.queued_at", "desc", "timestamptz"],
    ["e.id", "desc", "text"]
  ],
  pageSize
})

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
    const rows = yield* all(sql<Row>`select ${sql.literal(columns)} from email_queue e where id = ${id}`)
    return Option.fromUndefinedOr((yield* withAttempts(rows))[0])
  })

  /** A page of mails. Their number is kept for each status, and counted where anything else narrows the list. */
  const list = Effect.fnUntraced(function* ({ address, range, statuses }: EmailFilter, place: ListPlace) {
    const ofStatus = statuses.length === 0 ? [] : [isOneOf(sql, "status", statuses)]
    const others = [
      ...(address === "" ? [] : [sql`recipient_address like ${containing(address.toLowerCase())}`]),
      ...isWithin(sql, "queued_at", range)
    ]
    const { next, rows, total } = yield* newestFirst.page(sql, {
      place,
      conditions: [...ofStatus, ...others],
      ...(others.length > 0
        ? {}
        : {
            facts: sql`select coalesce(sum(emails), 0)::int as total from email_totals
              where ${sql.and(ofStatus)}`
          })
    })
    return { total, next, emails: yield* withAttempts(rows) } satisfies EmailPage
  })

  return { find, list } as const
}
